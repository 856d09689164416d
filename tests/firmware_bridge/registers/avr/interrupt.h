/* An interrupt is a function that the test calls. */
#define ISR(vector) \
    void vector(void); \
    void vector(void)
