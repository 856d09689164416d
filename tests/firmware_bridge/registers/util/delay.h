/* Time stands still while the firmware waits. */
#define _delay_us(us) ((void)(us))
