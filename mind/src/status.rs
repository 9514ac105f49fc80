//! How an agent stands: for people in words, for programs in the shape of the document on self-management.

use crate::client_part::ClientPart;
use crate::pressure::{Advisory, advisory};
use crate::state::MindState;
use protocol::status::{ChainState, LogSize, LoopState, SessionMetrics, Status, TokenAdvisory, TokenUsage};

/// `written` writes unix milliseconds as a time.
pub fn status(state: &MindState, at_ms: i64, log: LogSize, written: impl Fn(i64) -> String) -> Status {
    let (used, limit) = state.context.as_ref().map_or((0, 0), |context| (context.tokens, context.budget));
    let level = advisory(f64::from(used) / f64::from(limit.max(1)));
    let part = part_of(state);
    let session_start = if part.since_ms > 0 { written(part.since_ms) } else { String::new() };
    Status {
        success: true,
        timestamp: written(at_ms),
        token_usage: TokenUsage {
            estimated_used: used,
            model_limit: limit,
            available: limit.saturating_sub(used),
            usage_percentage: tenths(used, limit) as f64 / 10.0,
        },
        token_advisory: TokenAdvisory {
            level: level.name().to_string(),
            message: advice(level).to_string(),
            threshold: if level == Advisory::Normal { 60 } else { 80 },
        },
        loop_state: LoopState {
            iteration: part.iteration,
            max_iterations: part.max_iterations,
            tool_count_this_cycle: part.tools.len(),
            tools_this_cycle: part.tools,
        },
        session_metrics: SessionMetrics {
            total_tool_calls: part.calls,
            successful_calls: part.calls.saturating_sub(part.failed),
            failed_calls: part.failed,
            session_start,
        },
        chain_state: ChainState {
            in_chain: part.iteration > 1,
            chain_depth: part.iteration.saturating_sub(1),
            pending_tools: part.pending,
        },
        cost: part.cost,
        errors_open: errors_open(state),
        log,
        formats: part.formats,
    }
}

/// The same for people; what nobody told is left out.
pub fn text(state: &MindState) -> String {
    let mut lines = Vec::new();
    match &state.context {
        None => lines.push("Prompts: none was measured so far.".to_string()),
        Some(context) => {
            let tenths = tenths(context.tokens, context.budget);
            lines.push(format!(
                "Prompts: the newest took {} of {} tokens ({}.{} %). {}.",
                context.tokens,
                context.budget,
                tenths / 10,
                tenths % 10,
                advice(advisory(f64::from(context.tokens) / f64::from(context.budget.max(1))))
            ));
        }
    }
    let part = part_of(state);
    if part.max_iterations > 0 {
        let tools = if part.tools.is_empty() { String::new() } else { format!(", with {}", part.tools.join(", ")) };
        lines.push(format!("Turn: question {} of {}{tools}.", part.iteration, part.max_iterations));
    }
    if part.calls > 0 {
        lines.push(format!("Commands: {}, of which {} came to nothing.", part.calls, part.failed));
    }
    if !part.pending.is_empty() {
        lines.push(format!("To be answered: {}.", part.pending.join(", ")));
    }
    if let Some(cost) = part.cost {
        lines.push(format!("Cost: {cost:.3}."));
    }
    if let Some(formats) = &part.formats {
        lines.push(format!(
            "Formats: {} prompts measured; this one saves {:.1} % of JSON.",
            formats.samples, formats.saved_percent
        ));
    }
    lines.push(match errors_open(state) {
        0 => "Troubles: none open.".to_string(),
        open => format!("Troubles: {open} open."),
    });
    lines.push(match state.seq {
        0 => "Log: empty.".to_string(),
        newest => format!("Log: the newest entry is #{newest}."),
    });
    lines.join("\n")
}

fn part_of(state: &MindState) -> ClientPart {
    state.context.as_ref().and_then(|context| context.client.clone()).unwrap_or_default()
}

fn errors_open(state: &MindState) -> usize {
    state.errors.iter().filter(|error| !error.resolved).count()
}

/// Tenths of a percent.
fn tenths(part: u32, whole: u32) -> u64 {
    u64::from(part) * 1_000 / u64::from(whole.max(1))
}

fn advice(level: Advisory) -> &'static str {
    match level {
        Advisory::Normal => "Sufficient context available",
        Advisory::Warning => "Context filling: bring to an end what you are at",
        Advisory::Critical => "Nearly full: act now",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Context;

    #[test]
    fn a_status_has_the_shape_of_the_document() {
        let client = ClientPart {
            iteration: 2,
            max_iterations: 5,
            tools: vec!["look".into(), "recall".into()],
            calls: 47,
            failed: 2,
            since_ms: 7,
            pending: Vec::new(),
            cost: Some(0.25),
            formats: None,
        };
        let context = Context { tokens: 45_000, budget: 128_000, tick: 3, client: Some(client) };
        let state = MindState { seq: 9, context: Some(context), ..MindState::default() };
        let told = status(&state, 5, LogSize { hot: 9, archived: 0 }, |ms| format!("at {ms}"));
        let wanted = serde_json::json!({
            "success": true,
            "timestamp": "at 5",
            "token_usage":
                {"estimated_used": 45000, "model_limit": 128000, "available": 83000, "usage_percentage": 35.1},
            "token_advisory": {"level": "normal", "message": "Sufficient context available", "threshold": 60},
            "loop_state": {
                "iteration": 2, "max_iterations": 5, "tools_this_cycle": ["look", "recall"], "tool_count_this_cycle": 2
            },
            "session_metrics":
                {"total_tool_calls": 47, "successful_calls": 45, "failed_calls": 2, "session_start": "at 7"},
            "chain_state": {"in_chain": true, "chain_depth": 1, "pending_tools": []},
            "cost": 0.25,
            "errors_open": 0,
            "log": {"hot": 9, "archived": 0},
        });
        assert_eq!(serde_json::to_value(&told).expect("string keys"), wanted);
        let full = Context { tokens: 81, budget: 100, tick: 3, client: None };
        let told = status(&MindState { context: Some(full), ..state }, 5, LogSize::default(), |_| String::new());
        assert_eq!((&*told.token_advisory.level, told.token_advisory.threshold), ("critical", 80));
    }
}
