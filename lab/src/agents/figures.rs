//! Means with what is known of them, as tables tell them.

/// A mean with its 95 % interval (`memory_lab::counts::statistics::mean`).
pub type Mean = (f64, Option<[f64; 2]>);

/// `12.5 (9.1 to 15.9)`
pub fn told((mean, interval): Mean, digits: usize) -> String {
    let around = interval.map_or(String::new(), |[low, high]| format!(" ({low:.digits$} to {high:.digits$})"));
    format!("{mean:.digits$}{around}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_told_with_its_interval_where_there_is_one() {
        assert_eq!(told((12.5, Some([9.06, 15.94])), 1), "12.5 (9.1 to 15.9)");
        assert_eq!(told((3.0, None), 0), "3");
    }
}
