"""What is wrong with a table, from its raw samples: findings in words, with figures and limits."""
