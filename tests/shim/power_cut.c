/* What a disk would have after a loss of power: preloaded into the server by tests/tests/all/e2e/power_cut.rs.
 *
 * At each fsync and fdatasync of a file, a copy of the file as it is then goes to the folder DP_SHADOW, under a key of
 * its own (inode and birth); at each of a folder, the list of its names with their keys. What was written and never
 * synced is in no copy, and a name that was never synced in no list. The kernel may have written more by itself; it need
 * not, and this is what is left if it has not. Nothing is changed for the program itself.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int key_of(int dirfd, const char *name, int flags, char *key, size_t size) {
    struct statx found;
    if (statx(dirfd, name, flags | AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME | STATX_TYPE, &found) != 0)
        return 0;
    snprintf(key, size, "%llu-%lld-%u", (unsigned long long)found.stx_ino, (long long)found.stx_btime.tv_sec,
             (unsigned)found.stx_btime.tv_nsec);
    return S_ISDIR(found.stx_mode) ? 2 : S_ISREG(found.stx_mode) ? 1 : 0;
}

static void note_file(int fd, const char *shadow, const char *key) {
    char path[4096], beside[4200], own[64], part[65536];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    snprintf(path, sizeof path, "%s/%s", shadow, key);
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)syscall(SYS_gettid));
    int from = open(own, O_RDONLY | O_CLOEXEC), to = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t count;
    while (from >= 0 && to >= 0 && (count = read(from, part, sizeof part)) > 0)
        if (write(to, part, (size_t)count) != count)
            abort();
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    if (rename(beside, path) != 0)
        abort();
}

static void note_folder(int fd, const char *shadow) {
    char own[64], real[2048], path[4096], beside[4200], key[128];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(own, real, sizeof real - 1);
    if (length < 0)
        return;
    real[length] = 0;
    char flat[2048];
    for (ssize_t at = 0; at <= length; at++)
        flat[at] = real[at] == '/' ? '%' : real[at];
    snprintf(path, sizeof path, "%s/folder%s", shadow, flat);
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)syscall(SYS_gettid));
    FILE *list = fopen(beside, "we");
    DIR *folder = opendir(own);
    struct dirent *entry;
    if (!list || !folder)
        abort();
    while ((entry = readdir(folder)))
        if (key_of(dirfd(folder), entry->d_name, 0, key, sizeof key) == 1)
            fprintf(list, "%s %s\n", key, entry->d_name);
    closedir(folder);
    if (fclose(list) != 0 || rename(beside, path) != 0)
        abort();
}

static void note(int fd) {
    const char *shadow = getenv("DP_SHADOW");
    char key[128];
    if (!shadow)
        return;
    switch (key_of(fd, "", AT_EMPTY_PATH, key, sizeof key)) {
    case 1: note_file(fd, shadow, key); break;
    case 2: note_folder(fd, shadow); break;
    }
}

int fsync(int fd) {
    note(fd);
    return 0;
}

int fdatasync(int fd) {
    note(fd);
    return 0;
}
