"""What a recording says of the table it was made at: parameters with intervals."""
