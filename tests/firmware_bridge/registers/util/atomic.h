/* Nothing interrupts here: the test calls one function after the other. */
#define ATOMIC_BLOCK(kind)
