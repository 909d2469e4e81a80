package io.verbena.base;

/** The system calls that {@link HugeMemory} makes. Each returns the result of the call, or {@code -errno} instead of -1. */
public interface MemoryCalls {

    int PROT_NONE = 0;
    int PROT_READ = 1;
    int PROT_WRITE = 2;
    int MAP_SHARED = 0x01;
    int MAP_PRIVATE = 0x02;
    int MAP_FIXED = 0x10;
    int MAP_ANONYMOUS = 0x20;
    int MAP_NORESERVE = 0x4000;
    int MAP_POPULATE = 0x8000;

    int MADV_HUGEPAGE = 14;

    /** Since Linux 5.14. */
    int MADV_POPULATE_WRITE = 23;

    /** Since Linux 6.1. */
    int MADV_COLLAPSE = 25;

    int NO_FILE = -1;

    int EINVAL = 22;

    /** mmap(2), from the beginning of the file. */
    long map(long address, long bytes, int protection, int flags, int fd);

    /** munmap(2). */
    long unmap(long address, long bytes);

    /** madvise(2). */
    long advise(long address, long bytes, int advice);
}
