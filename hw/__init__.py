"""Sources of samples: drivers and recordings; and the calibration.

Behind a microcontroller `serial/bridge.py` takes what the thread of `serial/link_reader.py` has put
into a queue. On the Pi's pins a process (`drivers/cells_process.py`) reads the load cells
and hands over through a ring in shared memory, threads of `drivers/sensor_thread.py` read the rest,
and the loop asks `drivers/pi.py`. A recording is `traces/recording.py`; the simulated tower is in
`lab/twin`.
"""
