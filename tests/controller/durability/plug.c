/* The plug: stands between a program and its files (LD_PRELOAD), and pulls itself.
 *
 * Everything that changes a file under one folder is counted, and written to a log with its data,
 * so that the disk of a pulled plug can be worked out afterwards: what was flushed is there, of
 * the rest nobody knows. At a chosen call the process kills itself - before it, or after half of
 * it - or the disk is full from there on.
 *
 * Environment: PLUG_ROOT folder, PLUG_LOG file, PLUG_KILL_AT call, PLUG_TORN 1: after half of a
 * write, PLUG_FULL_AT call. A process that has it loaded can call plug_arm instead.
 *
 * A record of the log: operation, path, second path or "-", offset, length; tabs between, a
 * newline behind; then the data. Paths are absolute. Not seen: mmap, which SQLite does not use
 * here, and io_uring, which nobody does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define MOST_HANDLES 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static char *paths[MOST_HANDLES];
static int log_handle = -1;
static long calls, kill_at, full_at;
static int torn;

#define REAL(name) \
	static __typeof__(name) *real; \
	if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

void plug_arm(const char *folder, const char *log, long kill, int half, long full)
{
	snprintf(root, sizeof root, "%s/", folder);
	calls = 0;
	kill_at = kill;
	torn = half;
	full_at = full;
	if (log_handle >= 0) syscall(SYS_close, log_handle);
	log_handle = *log ? (int)syscall(SYS_openat, AT_FDCWD, log,
		O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
}

long plug_calls(void) { return calls; }

__attribute__((constructor)) static void arm_from_environment(void)
{
	const char *folder = getenv("PLUG_ROOT"), *log = getenv("PLUG_LOG");
	const char *kill = getenv("PLUG_KILL_AT"), *half = getenv("PLUG_TORN");
	const char *full = getenv("PLUG_FULL_AT");
	if (folder)
		plug_arm(folder, log ? log : "", kill ? atol(kill) : 0, half && *half == '1',
			full ? atol(full) : 0);
}

/* The path under the folder that is watched, or NULL. */
static const char *watched(const char *path, char *buffer)
{
	if (!*root) return NULL;
	if (path[0] != '/') {
		char here[PATH_MAX];
		if (!getcwd(here, sizeof here)) return NULL;
		if (snprintf(buffer, PATH_MAX, "%s/%s", here, path) >= PATH_MAX) return NULL;
		path = buffer;
	}
	size_t length = strlen(root);
	if (!strncmp(path, root, length)) return path;
	return strlen(path) == length - 1 && !strncmp(path, root, length - 1) ? path : NULL;
}

static const char *path_of(int handle)
{
	return handle >= 0 && handle < MOST_HANDLES ? paths[handle] : NULL;
}

static void record(const char *what, const char *path, const char *other, off_t offset,
	const void *data, size_t length)
{
	char head[2 * PATH_MAX + 100];
	if (log_handle < 0) return;
	int size = snprintf(head, sizeof head, "%s\t%s\t%s\t%lld\t%zu\n", what, path,
		other ? other : "-", (long long)offset, length);
	char *whole = malloc((size_t)size + length);
	memcpy(whole, head, (size_t)size);
	if (length && data) memcpy(whole + size, data, length);
	if (syscall(SYS_write, log_handle, whole, (size_t)size + (data ? length : 0)) < 0) abort();
	free(whole);
}

static void pull(void)
{
	syscall(SYS_kill, getpid(), SIGKILL);
	for (;;) pause();
}

/* Counts a call; 1 if the disk is full. Called with the lock held. */
static int counted(void)
{
	calls++;
	if (kill_at && calls == kill_at && !torn) pull();
	return full_at && calls >= full_at;
}

static int opened(int handle, const char *path, int existed, int flags)
{
	char buffer[PATH_MAX];
	const char *found = watched(path, buffer);
	if (handle < 0 || handle >= MOST_HANDLES || !found) return handle;
	pthread_mutex_lock(&lock);
	free(paths[handle]);
	paths[handle] = strdup(found);
	if (!existed) record("create", found, NULL, 0, NULL, 0);
	else if (flags & O_TRUNC) record("truncate", found, NULL, 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	return handle;
}

static int exists(const char *path)
{
	struct stat about;
	return !stat(path, &about);
}

static int open_it(int folder, const char *path, int flags, mode_t mode)
{
	char buffer[PATH_MAX];
	const char *found = folder == AT_FDCWD ? watched(path, buffer) : NULL;
	int existed = !found || exists(path);
	if (found && (flags & (O_CREAT | O_TRUNC))) {
		pthread_mutex_lock(&lock);
		int full = counted() && !strstr(found, "/shown.log");
		if (kill_at && calls == kill_at) pull();
		pthread_mutex_unlock(&lock);
		if (full && !existed) {
			errno = ENOSPC;
			return -1;
		}
	}
	int handle = (int)syscall(SYS_openat, folder, path, flags, mode);
	return found ? opened(handle, path, existed, flags) : handle;
}

#define OPEN(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list more; \
		va_start(more, flags); \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
		va_end(more); \
		return open_it(AT_FDCWD, path, flags, mode); \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
	int name(int folder, const char *path, int flags, ...) \
	{ \
		va_list more; \
		va_start(more, flags); \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
		va_end(more); \
		return open_it(folder, path, flags, mode); \
	}
OPENAT(openat)
OPENAT(openat64)

int __open_2(const char *path, int flags) { return open_it(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_it(AT_FDCWD, path, flags, 0); }

int close(int handle)
{
	if (path_of(handle)) {
		pthread_mutex_lock(&lock);
		free(paths[handle]);
		paths[handle] = NULL;
		pthread_mutex_unlock(&lock);
	}
	return (int)syscall(SYS_close, handle);
}

static ssize_t write_it(int handle, const void *data, size_t length, off_t offset, int at)
{
	const char *path = path_of(handle);
	if (!path)
		return at ? syscall(SYS_pwrite64, handle, data, length, offset)
			  : syscall(SYS_write, handle, data, length);
	pthread_mutex_lock(&lock);
	if (!at) {
		struct stat about;
		int appending = fcntl(handle, F_GETFL) & O_APPEND;
		offset = appending && !fstat(handle, &about) ? about.st_size
							      : lseek(handle, 0, SEEK_CUR);
	}
	/* What was shown went out to a broker, which has a disk of its own. */
	int full = counted() && !strstr(path, "/shown.log");
	int last = kill_at && calls == kill_at;
	if (last) length /= 2;
	ssize_t done = -1;
	if (full) errno = ENOSPC;
	else
		done = at ? syscall(SYS_pwrite64, handle, data, length, offset)
			  : syscall(SYS_write, handle, data, length);
	if (done > 0) record("write", path, NULL, offset, data, (size_t)done);
	if (last) pull();
	int kept = errno;
	pthread_mutex_unlock(&lock);
	errno = kept;
	return done;
}

ssize_t write(int handle, const void *data, size_t length)
{
	return write_it(handle, data, length, 0, 0);
}
ssize_t pwrite(int handle, const void *data, size_t length, off_t offset)
{
	return write_it(handle, data, length, offset, 1);
}
ssize_t pwrite64(int handle, const void *data, size_t length, off64_t offset)
{
	return write_it(handle, data, length, offset, 1);
}

/* Copies by reading and writing are seen; this one would not be. */
ssize_t sendfile(int out, int in, off_t *offset, size_t count)
{
	if (path_of(out)) {
		errno = ENOTSOCK;
		return -1;
	}
	return syscall(SYS_sendfile, out, in, offset, count);
}
ssize_t sendfile64(int out, int in, off64_t *offset, size_t count)
{
	return sendfile(out, in, offset, count);
}

static void about(const char *what, const char *path, const char *other, off_t size)
{
	pthread_mutex_lock(&lock);
	counted();
	if (kill_at && calls == kill_at) pull();
	record(what, path, other, size, NULL, 0);
	pthread_mutex_unlock(&lock);
}

int ftruncate(int handle, off_t size)
{
	if (path_of(handle)) about("truncate", path_of(handle), NULL, size);
	return (int)syscall(SYS_ftruncate, handle, size);
}
int ftruncate64(int handle, off64_t size) { return ftruncate(handle, size); }

/* A flush is recorded when it has been done, since only then it is true. */
static int flushed(int handle, long number)
{
	const char *path = path_of(handle);
	if (!path) return (int)syscall(number, handle);
	pthread_mutex_lock(&lock);
	counted();
	if (kill_at && calls == kill_at) pull();
	/* Not asked of this machine's disk: the log is the disk here, and it would take minutes. */
	record("sync", path, NULL, 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	return 0;
}
int fsync(int handle) { return flushed(handle, SYS_fsync); }
int fdatasync(int handle) { return flushed(handle, SYS_fdatasync); }

int rename(const char *from, const char *to)
{
	char one[PATH_MAX], two[PATH_MAX];
	const char *source = watched(from, one), *target = watched(to, two);
	if (source && target && exists(from)) about("rename", source, target, 0);
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
	char buffer[PATH_MAX];
	const char *found = watched(path, buffer);
	if (found && exists(path)) about("unlink", found, NULL, 0);
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode)
{
	char buffer[PATH_MAX];
	const char *found = watched(path, buffer);
	if (found && !exists(path)) about("mkdir", found, NULL, 0);
	return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
