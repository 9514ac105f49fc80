//! The table of policies, and single policies in small scenes.
