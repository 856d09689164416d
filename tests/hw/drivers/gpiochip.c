/*
 * A kernel with one GPIO chip, for a program that has none: preloaded, it answers open() and ioctl()
 * of /dev/gpiochip0 as linux/gpio.h describes them, and writes down which lines were set to what.
 * Line 5 (a DOUT) reads as the last level of line 12 (its PD_SCK), so that a wire is seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/gpio.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "/dev/gpiochip0"
#define MOST 1024

static int chip[MOST], line_of[MOST], level[64];

static int opened(void) {
    static int (*real)(const char *, int, ...);
    if (!real) {
        real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    }
    int handle = real("/dev/null", O_RDWR);
    chip[handle] = 1;
    return handle;
}

static void note(unsigned int line, int value) {
    static FILE *log;
    static int asked;
    if (!asked) {
        const char *file = getenv("GPIOCHIP_LOG");
        log = file ? fopen(file, "a") : NULL;
        asked = 1;
    }
    if (log) {
        fprintf(log, "%u %d\n", line, value);
    }
}

int open(const char *path, int flags, ...) {
    static int (*real)(const char *, int, ...);
    if (strcmp(path, NAME) == 0) {
        return opened();
    }
    if (!real) {
        real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    }
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    return real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    return open(path, flags, mode);
}

int close(int handle) {
    static int (*real)(int);
    if (!real) {
        real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    }
    if (handle >= 0 && handle < MOST) {
        chip[handle] = line_of[handle] = 0;
    }
    return real(handle);
}

/* Is it a character device, and one of the GPIO subsystem? */

#define LOOK(function)                                                         \
    int function(const char *path, struct stat *found) {                       \
        static int (*real)(const char *, struct stat *);                       \
        if (!real) {                                                           \
            real = (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, #function); \
        }                                                                      \
        return real(strcmp(path, NAME) == 0 ? "/dev/null" : path, found);      \
    }

LOOK(stat)
LOOK(lstat)

/* The same, as programs call them that were built for an older C library. */
int __xstat(int version, const char *path, struct stat *found) {
    (void)version;
    return stat(path, found);
}

int __lxstat(int version, const char *path, struct stat *found) {
    (void)version;
    return lstat(path, found);
}

char *realpath(const char *path, char *found) {
    static char *(*real)(const char *, char *);
    if (strncmp(path, "/sys/dev/char/", 14) == 0 && strstr(path, "/subsystem")) {
        return strcpy(found ? found : malloc(PATH_MAX), "/sys/bus/gpio");
    }
    if (!real) {
        real = (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
    }
    return real(path, found);
}

int ioctl(int handle, unsigned long request, ...) {
    static int (*real)(int, unsigned long, ...);
    va_list more;
    va_start(more, request);
    void *about = va_arg(more, void *);
    va_end(more);
    if (handle < 0 || handle >= MOST || !(chip[handle] || line_of[handle])) {
        if (!real) {
            real = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
        }
        return real(handle, request, about);
    }
    switch ((unsigned int)request) {  /* the kernel takes 32 bits; some callers extend a sign */
        case GPIO_GET_CHIPINFO_IOCTL: {
            struct gpiochip_info *info = about;
            memset(info, 0, sizeof *info);
            strcpy(info->name, "gpiochip0");
            strcpy(info->label, "pinctrl-bcm2711");
            info->lines = 58;
            return 0;
        }
        case GPIO_V2_GET_LINEINFO_IOCTL: {
            struct gpio_v2_line_info *info = about;
            snprintf(info->name, sizeof info->name, "GPIO%u", info->offset);
            return 0;
        }
        case GPIO_V2_GET_LINE_IOCTL: {
            struct gpio_v2_line_request *wanted = about;
            wanted->fd = opened();
            chip[wanted->fd] = 0;
            line_of[wanted->fd] = 1 + (int)wanted->offsets[0];
            return 0;
        }
        case GPIO_V2_LINE_SET_CONFIG_IOCTL:
            return 0;
        case GPIO_V2_LINE_SET_VALUES_IOCTL: {
            const struct gpio_v2_line_values *values = about;
            if (values->mask != 1) {
                errno = EINVAL;
                return -1;
            }
            level[line_of[handle] - 1] = (int)(values->bits & 1);
            note((unsigned int)line_of[handle] - 1, (int)(values->bits & 1));
            return 0;
        }
        case GPIO_V2_LINE_GET_VALUES_IOCTL: {
            struct gpio_v2_line_values *values = about;
            values->bits = line_of[handle] - 1 == 5 ? (unsigned)level[12] : 0;
            return 0;
        }
        default:
            errno = ENOTTY;
            return -1;
    }
}
