/* MPU-6050 at 200 Hz: read at each rise of its INT or, if that wire is off, asked; found again after it was gone. */
#ifndef TOPPLE_IMU_H
#define TOPPLE_IMU_H

#include <stdbool.h>
#include <stdint.h>

void imu_begin(void);

/* Reads and says the sample that is waiting. */
void imu_poll(void);
bool imu_waiting(void);

/* Notices that the sensor or its INT is gone, and looks for one that is there. */
void imu_look_after(void);

/* WHO_AM_I, 0 while there is none. */
uint8_t imu_who(void);
uint16_t imu_errors(void);

#endif
