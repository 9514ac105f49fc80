//! Which project is on the desk, and what the state keeps of the others.

use super::MindState;
use crate::projects::{ARCHIVED_KEPT, MAIN, Project, ProjectStatus};
use crate::workspace::Workspace;

impl MindState {
    /// The project that is being worked on.
    pub fn active(&self) -> &Project {
        self.named(&self.active).or_else(|| self.projects.first()).expect("the first one is always there")
    }

    pub fn named(&self, key: &str) -> Option<&Project> {
        self.projects.iter().find(|project| project.key == key)
    }

    pub(crate) fn named_mut(&mut self, key: &str) -> Option<&mut Project> {
        self.projects.iter_mut().find(|project| project.key == key)
    }

    /// What belongs to the active project, as it is now.
    pub fn workspace(&self) -> Workspace {
        Workspace {
            task: self.task.clone(),
            goals: self.goals.clone(),
            decisions: self.decisions.clone(),
            notes: self.notes.clone(),
            blockers: self.blockers.clone(),
            context: self.active().context.clone(),
        }
    }

    pub(crate) fn create_project(&mut self, id: u64, at_ms: i64, key: &str, summary: &str, context: &str) {
        if self.named(key).is_some() {
            return;
        }
        self.projects.push(Project {
            key: key.to_string(),
            summary: summary.to_string(),
            context: context.to_string(),
            created_at: at_ms,
            last_active: at_ms,
            at: Some(id),
            ..Project::default()
        });
    }

    /// A project is put away, with its workspace in the entry `id`. The active one stays on the desk until the next
    /// entry takes another one up.
    pub(crate) fn put_away(&mut self, id: u64, at_ms: i64, key: &str, status: ProjectStatus, workspace: &Workspace) {
        let was_active = self.active == key;
        let Some(project) = self.named_mut(key) else { return };
        project.summary = workspace.summary().to_string();
        project.context.clone_from(&workspace.context);
        project.progress = workspace.goals.progress();
        (project.status, project.at) = (status, Some(id));
        if was_active {
            project.last_active = at_ms;
        }
        while self.projects.iter().filter(|project| project.status == ProjectStatus::Archived).count() > ARCHIVED_KEPT {
            let archived = |project: &Project| project.status == ProjectStatus::Archived && project.key != MAIN;
            let Some(oldest) = self.projects.iter().position(archived) else { return };
            self.projects.remove(oldest);
        }
    }

    /// A project becomes the active one.
    pub(crate) fn take_up(&mut self, at_ms: i64, key: &str, workspace: &Workspace) {
        if self.named(key).is_none() {
            return;
        }
        for project in &mut self.projects {
            if project.key == key {
                (project.status, project.at, project.last_active) = (ProjectStatus::Active, None, at_ms);
                project.context.clone_from(&workspace.context);
            } else if project.status == ProjectStatus::Active {
                project.status = ProjectStatus::Paused;
            }
        }
        self.active = key.to_string();
        self.task.clone_from(&workspace.task);
        self.goals.clone_from(&workspace.goals);
        self.decisions.clone_from(&workspace.decisions);
        self.notes.clone_from(&workspace.notes);
        self.blockers.clone_from(&workspace.blockers);
    }
}
