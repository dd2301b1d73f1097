// `assert`: a thread for which the condition does not hold stops the kernel.
#define assert(condition) ((condition) ? (void)0 : __trap())
