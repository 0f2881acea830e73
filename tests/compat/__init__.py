"""mmeval_like.compat."""
