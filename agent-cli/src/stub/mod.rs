//! `dp-agent stub`: an OpenAI-compatible endpoint on loopback whose "model" is a policy of ours, so that everything
//! here can be tried and measured without a network.
