//! What a process costs, from Linux's /proc.

use anyhow::{Context, anyhow};

/// The kernel counts CPU time for user space in hundredths of a second on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

#[derive(Clone, Copy, Debug)]
pub struct Process(pub u32);

impl Process {
    pub fn own() -> Process {
        Process(std::process::id())
    }

    /// CPU time since its start, user and system, of all threads, in milliseconds.
    pub fn cpu_ms(self) -> anyhow::Result<f64> {
        let path = format!("/proc/{}/stat", self.0);
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
        // The name in brackets may hold blanks; what follows it does not.
        let (_, rest) = text.rsplit_once(')').ok_or_else(|| anyhow!("{path} has no name"))?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok());
        let (user, system) = (number(11), number(12));
        let ticks = user.zip(system).map(|(u, s)| u + s).ok_or_else(|| anyhow!("{path} has another form"))?;
        Ok(ticks * 1_000.0 / TICKS_PER_SECOND)
    }

    /// Resident memory in KB.
    pub fn rss_kb(self) -> anyhow::Result<u64> {
        self.status("VmRSS:")
    }

    /// The most it ever was, in KB.
    pub fn rss_max_kb(self) -> anyhow::Result<u64> {
        self.status("VmHWM:")
    }

    /// Changes of thread that it asked for itself, over all threads: a measure of wake-ups.
    pub fn switches(self) -> anyhow::Result<u64> {
        let mut sum = 0;
        for task in std::fs::read_dir(format!("/proc/{}/task", self.0))? {
            let text = std::fs::read_to_string(task?.path().join("status")).unwrap_or_default();
            sum += field(&text, "voluntary_ctxt_switches:").unwrap_or(0);
        }
        Ok(sum)
    }

    /// File descriptors that are open.
    pub fn descriptors(self) -> anyhow::Result<usize> {
        let path = format!("/proc/{}/fd", self.0);
        Ok(std::fs::read_dir(&path).with_context(|| format!("reading {path}"))?.count())
    }

    fn status(self, name: &str) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/status", self.0);
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
        field(&text, name).ok_or_else(|| anyhow!("{path} has no {name}"))
    }
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}
