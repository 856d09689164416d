"""Hardware that is computed: tower, chips, microcontroller, and tables made of them."""
