/*
 * A plugin of QEMU that counts the instructions an emulated machine carries out, while it runs.
 *
 * The counts stand in a file that is mapped into memory, so that the test reads them at any time:
 * one unsigned 64-bit number for each processor, LINE bytes apart, so that no two processors write
 * to one line of this machine's cache.
 *
 * Debian has no header for plugins (qemu/include/qemu/qemu-plugin.h); what is used of it is
 * declared here. It is version 1 of the interface, which QEMU 6.0 to 8.2 accept.
 */

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, PROCESSORS = 8 };

typedef uint64_t plugin_id;
struct qemu_plugin_tb;

typedef void (*translated)(plugin_id id, struct qemu_plugin_tb *block);
typedef void (*executed)(unsigned int processor, void *data);
enum registers { NO_REGISTERS };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, executed callback,
                                          enum registers used, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

int qemu_plugin_version = 1;

static unsigned char *counts;

/* Before each block of instructions, in the thread of its processor. */
static void count(unsigned int processor, void *instructions)
{
    *(uint64_t *)(counts + LINE * (processor % PROCESSORS)) += (uintptr_t)instructions;
}

static void when_translated(plugin_id id, struct qemu_plugin_tb *block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(block, count, NO_REGISTERS,
                                         (void *)qemu_plugin_tb_n_insns(block));
}

/* `-plugin <this>,counts=<file>`; the file has LINE * PROCESSORS bytes. */
int qemu_plugin_install(plugin_id id, const void *info, int given, char **options)
{
    (void)info;
    if (given != 1 || strncmp(options[0], "counts=", 7) != 0)
        return -1;
    int file = open(options[0] + 7, O_RDWR);
    if (file < 0)
        return -1;
    counts = mmap(NULL, LINE * PROCESSORS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (counts == MAP_FAILED)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, when_translated);
    return 0;
}
