package io.verbena.host.system;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Arrays;

/**
 * System calls of Linux through the FFM API, on 64-bit little-endian machines. Each returns the result of the call, or
 * {@code -errno} instead of -1. Addresses are plain numbers: the caller ensures that the memory remains valid during
 * the call.
 *
 * <p>Over 500 lines: the numbers and calls of one system.
 */
public final class Linux {

    // Numbers of the Linux ABI that x86-64 and AArch64 share: errno.h, sys/socket.h, netinet/in.h, sys/epoll.h.
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    static final int EPIPE = 32;
    public static final int ENOSYS = 38;
    public static final int EBADFD = 77;
    public static final int EMSGSIZE = 90;
    static final int EAFNOSUPPORT = 97;
    static final int EADDRINUSE = 98;
    static final int EADDRNOTAVAIL = 99;
    public static final int ENETDOWN = 100;
    static final int ENETUNREACH = 101;
    static final int ECONNRESET = 104;
    public static final int ENOBUFS = 105;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    static final int EHOSTUNREACH = 113;
    static final int EINPROGRESS = 115;

    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    static final int SOCK_STREAM_NONBLOCK_CLOEXEC = 1 | 0x800 | 0x80000;
    static final int SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0x800 | 0x80000;
    static final int SOCK_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
    private static final int SOCK_RAW = 3;
    private static final int SOCK_SEQPACKET = 5;
    public static final int SOL_SOCKET = 1;
    public static final int SO_REUSEADDR = 2;
    static final int SO_ERROR = 4;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    public static final int SO_KEEPALIVE = 9;
    static final int SO_LINGER = 13;
    public static final int SO_PEERCRED = 17;
    public static final int SCM_RIGHTS = 1;
    public static final int IPPROTO_TCP = 6;
    public static final int TCP_NODELAY = 1;

    /** The first byte of struct tcp_info is the state of the connection. */
    public static final int TCP_INFO = 11;

    public static final int TCP_ESTABLISHED = 1;
    public static final int TCP_FIN_WAIT1 = 4;
    public static final int TCP_CLOSE_WAIT = 8;
    public static final int TCP_LAST_ACK = 9;
    public static final int TCP_CLOSING = 11;
    public static final int TCP_KEEPIDLE = 4;
    public static final int TCP_KEEPINTVL = 5;
    public static final int TCP_KEEPCNT = 6;
    public static final int TCP_CONGESTION = 13;
    public static final int IPPROTO_IPV6 = 41;
    static final int IPV6_V6ONLY = 26;
    public static final int IPPROTO_IP = 0;
    public static final int IP_TOS = 1;
    public static final int IP_MTU_DISCOVER = 10;
    public static final int IP_RECVERR = 11;
    public static final int IP_RECVTOS = 13;
    static final int IP_MULTICAST_IF = 32;
    static final int IP_MULTICAST_TTL = 33;
    static final int IP_ADD_MEMBERSHIP = 35;
    public static final int IP_PMTUDISC_PROBE = 3;
    static final int IPV6_MULTICAST_IF = 17;
    static final int IPV6_MULTICAST_HOPS = 18;
    static final int IPV6_ADD_MEMBERSHIP = 20;
    public static final int IPV6_MTU_DISCOVER = 23;
    public static final int IPV6_RECVERR = 25;
    public static final int IPV6_RECVTCLASS = 66;
    public static final int IPV6_TCLASS = 67;
    public static final int IPPROTO_UDP = 17;
    public static final int UDP_NO_CHECK6_RX = 102;
    public static final int UDP_SEGMENT = 103;
    public static final int UDP_GRO = 104;
    public static final int MSG_TRUNC = 0x20;
    public static final int MSG_ERRQUEUE = 0x2000;
    public static final int MSG_NOSIGNAL = 0x4000;
    public static final int MSG_CMSG_CLOEXEC = 0x4000_0000;
    static final int SHUT_WR = 1;

    public static final int EPOLLIN = 0x1;
    public static final int EPOLLOUT = 0x4;
    public static final int EPOLLERR = 0x8;
    public static final int EPOLLHUP = 0x10;
    public static final int EPOLLRDHUP = 0x2000;
    public static final int EPOLLET = 1 << 31;
    public static final int EPOLL_CTL_ADD = 1;
    public static final int EPOLL_CTL_DEL = 2;
    public static final int EPOLL_CTL_MOD = 3;
    private static final int EPOLL_CLOEXEC = 0x80000;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;
    private static final int AT_FDCWD = -100;
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int O_RDWR_CLOEXEC = 2 | 0x80000;
    private static final int O_NONBLOCK = 0x800;
    private static final int SHRINK = 2;
    private static final int SEEK_END = 2;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 1;
    private static final int MAP_POPULATE = 0x8000;

    /** F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW. */
    private static final int SIZE_IS_FINAL = 1 | 2 | 4;

    /** MFD_CLOEXEC, MFD_ALLOW_SEALING. */
    private static final int MFD_FLAGS = 1 | 2;

    /** Most pieces of one gathering call. */
    public static final int IOV_MAX = 1024;

    /** struct iovec: address, then length. */
    public static final int IOVEC_BYTES = 16;

    public static final int TIMESPEC_BYTES = 16;

    // Numbers of system calls; every architecture has its own.
    private static final boolean X86 = Machine.X86;
    private static final long SYS_READ = X86 ? 0 : 63;
    private static final long SYS_WRITE = X86 ? 1 : 64;
    private static final long SYS_CLOSE = X86 ? 3 : 57;
    private static final long SYS_LSEEK = X86 ? 8 : 62;
    private static final long SYS_MMAP = X86 ? 9 : 222;
    private static final long SYS_MUNMAP = X86 ? 11 : 215;
    private static final long SYS_IOCTL = X86 ? 16 : 29;
    private static final long SYS_READV = X86 ? 19 : 65;
    private static final long SYS_WRITEV = X86 ? 20 : 66;
    private static final long SYS_SOCKET = X86 ? 41 : 198;
    private static final long SYS_CONNECT = X86 ? 42 : 203;
    private static final long SYS_SENDTO = X86 ? 44 : 206;
    private static final long SYS_RECVFROM = X86 ? 45 : 207;
    private static final long SYS_SENDMSG = X86 ? 46 : 211;
    private static final long SYS_RECVMSG = X86 ? 47 : 212;
    private static final long SYS_SHUTDOWN = X86 ? 48 : 210;
    private static final long SYS_BIND = X86 ? 49 : 200;
    private static final long SYS_LISTEN = X86 ? 50 : 201;
    private static final long SYS_GETSOCKNAME = X86 ? 51 : 204;
    private static final long SYS_GETPEERNAME = X86 ? 52 : 205;
    private static final long SYS_SETSOCKOPT = X86 ? 54 : 208;
    private static final long SYS_GETSOCKOPT = X86 ? 55 : 209;
    private static final long SYS_FCNTL = X86 ? 72 : 25;
    private static final long SYS_GETEUID = X86 ? 107 : 175;
    private static final long SYS_FTRUNCATE = X86 ? 77 : 46;
    private static final long SYS_EPOLL_CTL = X86 ? 233 : 21;
    private static final long SYS_EPOLL_PWAIT = X86 ? 281 : 22;
    private static final long SYS_EPOLL_PWAIT2 = 441;
    private static final long SYS_ACCEPT4 = X86 ? 288 : 242;
    private static final long SYS_EVENTFD2 = X86 ? 290 : 19;
    private static final long SYS_EPOLL_CREATE1 = X86 ? 291 : 20;
    private static final long SYS_OPENAT = X86 ? 257 : 56;
    private static final long SYS_FALLOCATE = X86 ? 285 : 47;
    private static final long SYS_MEMFD_CREATE = X86 ? 319 : 279;
    private static final long SYS_SCHED_SETATTR = X86 ? 314 : 274;
    private static final long SYS_FUTEX = X86 ? 202 : 98;
    private static final long SYS_FUTEX_WAITV = 449;
    private static final int FUTEX_WAKE = 1;
    private static final int FUTEX_WAKE_PRIVATE = 1 | 128;
    private static final int CLOCK_MONOTONIC = 1;

    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO_OFFSET = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SYSCALL = systemCall();

    private Linux() {}

    /**
     * syscall(2), with as many arguments as a system call can have. All calls share this one handle: each form of handle costs
     * the JVM several milliseconds at the start, and it is compiled once for all. The functions of the C library are also points
     * where a thread may be cancelled, which costs two atomic operations per call.
     */
    private static MethodHandle systemCall() {
        MemoryLayout[] parameters = new MemoryLayout[7];
        Arrays.fill(parameters, JAVA_LONG);
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(JAVA_LONG, parameters),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(1));
    }

    /**
     * Makes a system call.
     *
     * <p>This method is longer than HotSpot inlines (FreqInlineSize, 325 bytes), on purpose: the table of errors makes it
     * so. The handle takes a slice of {@code state}, an object of 48 bytes, which disappears only if the compiler inlines the
     * whole handle. Within this method it does. Within a large caller it sometimes does not, and each call would allocate.
     */
    private static long call(MemorySegment state, long number, long a, long b, long c, long d, long e) {
        long result;
        try {
            result = (long) SYSCALL.invokeExact(state, number, a, b, c, d, e, 0L);
        } catch (Throwable thrown) {
            throw new AssertionError("a system call cannot throw", thrown);
        }
        if (result >= 0) {
            return result;
        }
        int errno = state.get(JAVA_INT, ERRNO_OFFSET);
        return switch (errno) {
            // spotless:off
            case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
                 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72,
                 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96,
                 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120,
                 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133 -> -errno; // errno.h
            // spotless:on
            default -> throw new AssertionError("system call " + number + " failed with errno " + errno);
        };
    }

    private static int call(MemorySegment state, long number, int fd, MemorySegment memory, long c) {
        int result = (int) call(state, number, fd, memory.address(), c, 0, 0);
        Reference.reachabilityFence(memory);
        return result;
    }

    /** Where a call leaves its errno: one for each thread at a time. */
    public static MemorySegment newState(Arena arena) {
        return arena.allocate(STATE);
    }

    // Bytes.

    public static long recv(MemorySegment state, int fd, long address, long bytes) {
        return call(state, SYS_RECVFROM, fd, address, bytes, 0, 0);
    }

    public static long send(MemorySegment state, int fd, long address, long bytes) {
        return call(state, SYS_SENDTO, fd, address, bytes, MSG_NOSIGNAL, 0);
    }

    /** Writes an element of a list of pieces. */
    public static void iovec(MemorySegment iovecs, int index, long address, long bytes) {
        long at = (long) index * IOVEC_BYTES;
        iovecs.set(JAVA_LONG, at, address);
        iovecs.set(JAVA_LONG, at + Long.BYTES, bytes);
    }

    /** The JVM ignores SIGPIPE, so a broken pipe is an errno here as well. */
    public static long writev(MemorySegment state, int fd, MemorySegment iovecs, int count) {
        return vector(state, SYS_WRITEV, fd, iovecs, count);
    }

    public static long readv(MemorySegment state, int fd, MemorySegment iovecs, int count) {
        return vector(state, SYS_READV, fd, iovecs, count);
    }

    private static long vector(MemorySegment state, long number, int fd, MemorySegment iovecs, int count) {
        long result = call(state, number, fd, iovecs.address(), count, 0, 0);
        Reference.reachabilityFence(iovecs);
        return result;
    }

    /** Does not raise SIGPIPE for a datagram. */
    public static int sendmsg(MemorySegment state, int fd, MemorySegment header, int flags) {
        return call(state, SYS_SENDMSG, fd, header, flags);
    }

    public static int recvmsg(MemorySegment state, int fd, MemorySegment header, int flags) {
        return call(state, SYS_RECVMSG, fd, header, flags);
    }

    public static long read(MemorySegment state, int fd, long address, long bytes) {
        return call(state, SYS_READ, fd, address, bytes, 0, 0);
    }

    public static long write(MemorySegment state, int fd, long address, long bytes) {
        return call(state, SYS_WRITE, fd, address, bytes, 0, 0);
    }

    // Readiness.

    public static int epollCreate(MemorySegment state) {
        return (int) call(state, SYS_EPOLL_CREATE1, EPOLL_CLOEXEC, 0, 0, 0, 0);
    }

    public static int epollCtl(MemorySegment state, int epoll, int operation, int fd, long event) {
        return (int) call(state, SYS_EPOLL_CTL, epoll, operation, fd, event, 0);
    }

    public static int epollWait(MemorySegment state, int epoll, MemorySegment events, int most, int timeoutMs) {
        int result = (int) call(state, SYS_EPOLL_PWAIT, epoll, events.address(), most, timeoutMs, 0);
        Reference.reachabilityFence(events);
        return result;
    }

    /** The same with a timeout in nanoseconds, for which {@code timespec} has space; Linux 5.11. */
    public static int epollWait(
            MemorySegment state, int epoll, MemorySegment events, int most, MemorySegment timespec, long timeoutNs) {
        timespec.set(JAVA_LONG, 0, timeoutNs / 1_000_000_000);
        timespec.set(JAVA_LONG, Long.BYTES, timeoutNs % 1_000_000_000);
        int result = (int) call(state, SYS_EPOLL_PWAIT2, epoll, events.address(), most, timespec.address(), 0);
        Reference.reachabilityFence(events);
        Reference.reachabilityFence(timespec);
        return result;
    }

    public static int eventfd(MemorySegment state) {
        return (int) call(state, SYS_EVENTFD2, 0, SOCK_NONBLOCK_CLOEXEC, 0, 0, 0);
    }

    // Sockets.

    static int socket(MemorySegment state, int family) {
        return (int) call(state, SYS_SOCKET, family, SOCK_STREAM_NONBLOCK_CLOEXEC, 0, 0, 0);
    }

    public static int datagramSocket(MemorySegment state, int family) {
        return (int) call(state, SYS_SOCKET, family, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0, 0, 0);
    }

    /** A socket for whole frames, whose calls never wait. */
    public static int packetSocket(MemorySegment state, int family) {
        return (int) call(state, SYS_SOCKET, family, SOCK_RAW | SOCK_NONBLOCK_CLOEXEC, 0, 0, 0);
    }

    /** A Unix socket of a connection that keeps the bounds of messages. */
    public static int messageSocket(MemorySegment state) {
        return (int) call(state, SYS_SOCKET, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK_CLOEXEC, 0, 0, 0);
    }

    public static int bind(MemorySegment state, int fd, MemorySegment address, int length) {
        return call(state, SYS_BIND, fd, address, length);
    }

    public static int listen(MemorySegment state, int fd, int backlog) {
        return (int) call(state, SYS_LISTEN, fd, backlog, 0, 0, 0);
    }

    public static int accept(MemorySegment state, int fd) {
        return (int) call(state, SYS_ACCEPT4, fd, 0, 0, SOCK_NONBLOCK_CLOEXEC, 0);
    }

    public static int connect(MemorySegment state, int fd, MemorySegment address, int length) {
        return call(state, SYS_CONNECT, fd, address, length);
    }

    static int name(MemorySegment state, int fd, boolean peer, MemorySegment address, MemorySegment length) {
        int result = call(state, peer ? SYS_GETPEERNAME : SYS_GETSOCKNAME, fd, address, length.address());
        Reference.reachabilityFence(length);
        return result;
    }

    public static int setOption(MemorySegment state, int fd, int level, int option, MemorySegment value) {
        int result = (int) call(state, SYS_SETSOCKOPT, fd, level, option, value.address(), value.byteSize());
        Reference.reachabilityFence(value);
        return result;
    }

    public static int option(
            MemorySegment state, int fd, int level, int option, MemorySegment value, MemorySegment length) {
        int result = (int) call(state, SYS_GETSOCKOPT, fd, level, option, value.address(), length.address());
        Reference.reachabilityFence(value);
        Reference.reachabilityFence(length);
        return result;
    }

    public static int shutdownOutput(MemorySegment state, int fd) {
        return (int) call(state, SYS_SHUTDOWN, fd, SHUT_WR, 0, 0, 0);
    }

    public static int close(MemorySegment state, int fd) {
        return (int) call(state, SYS_CLOSE, fd, 0, 0, 0, 0);
    }

    /** A second descriptor of the same open socket. */
    public static int duplicate(MemorySegment state, int fd) {
        return (int) call(state, SYS_FCNTL, fd, F_DUPFD_CLOEXEC, 3, 0, 0);
    }

    // Memory.

    /** An anonymous file in memory. */
    public static int memoryFile(MemorySegment state, MemorySegment name) {
        int result = (int) call(state, SYS_MEMFD_CREATE, name.address(), MFD_FLAGS, 0, 0, 0);
        Reference.reachabilityFence(name);
        return result;
    }

    /** Sets the size of a file. New pages come into being when they are first accessed. */
    public static int size(MemorySegment state, int fd, long bytes) {
        return (int) call(state, SYS_FTRUNCATE, fd, bytes, 0, 0, 0);
    }

    /** Gives a range of a file all its pages, and the file the size that this needs. New pages are zeroed. */
    static int allocate(MemorySegment state, int fd, long from, long bytes) {
        return (int) call(state, SYS_FALLOCATE, fd, 0, from, bytes, 0);
    }

    /** The size of a file. */
    public static long size(MemorySegment state, int fd) {
        return call(state, SYS_LSEEK, fd, 0, SEEK_END, 0, 0);
    }

    /** Maps a file from its beginning, shared; with all its pages if they are requested. Returns the address. */
    static long map(MemorySegment state, int fd, long bytes, boolean writable, boolean pages) {
        int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
        return call(state, SYS_MMAP, 0, bytes, access, pages ? MAP_SHARED | MAP_POPULATE : MAP_SHARED, fd);
    }

    static int unmap(MemorySegment state, long address, long bytes) {
        return (int) call(state, SYS_MUNMAP, address, bytes, 0, 0, 0);
    }

    /** The size of an anonymous file can never change again. */
    public static int sealSize(MemorySegment state, int fd) {
        return (int) call(state, SYS_FCNTL, fd, F_ADD_SEALS, SIZE_IS_FINAL, 0, 0);
    }

    /** Opens a file for reading and writing. */
    public static int open(MemorySegment state, MemorySegment path) {
        int result = (int) call(state, SYS_OPENAT, AT_FDCWD, path.address(), O_RDWR_CLOEXEC, 0, 0);
        Reference.reachabilityFence(path);
        return result;
    }

    public static int openForReading(MemorySegment state, MemorySegment path) {
        int result = (int) call(state, SYS_OPENAT, AT_FDCWD, path.address(), O_RDONLY_CLOEXEC, 0, 0);
        Reference.reachabilityFence(path);
        return result;
    }

    /** Opens a device for reading and writing that never wait. */
    public static int openNonBlocking(MemorySegment state, MemorySegment path) {
        int result = (int) call(state, SYS_OPENAT, AT_FDCWD, path.address(), O_RDWR_CLOEXEC | O_NONBLOCK, 0, 0);
        Reference.reachabilityFence(path);
        return result;
    }

    /** The argument is a number or an address. */
    public static int ioctl(MemorySegment state, int fd, long request, long argument) {
        return (int) call(state, SYS_IOCTL, fd, request, argument, 0, 0);
    }

    /** Whether no process can shorten this file. */
    public static boolean keepsItsSize(MemorySegment state, int fd) {
        long seals = call(state, SYS_FCNTL, fd, F_GET_SEALS, 0, 0, 0);
        return seals >= 0 && (seals & SHRINK) != 0;
    }

    // Threads and processes.

    /**
     * Waits for the first of several words of memory, each a struct futex_waitv; Linux 5.16.
     *
     * @param deadline an instant of {@link System#nanoTime} as struct timespec; {@link MemorySegment#NULL} for none
     */
    public static int futexWait(MemorySegment state, MemorySegment words, int count, MemorySegment deadline) {
        int result = (int) call(state, SYS_FUTEX_WAITV, words.address(), count, 0, deadline.address(), CLOCK_MONOTONIC);
        Reference.reachabilityFence(words);
        Reference.reachabilityFence(deadline);
        return result;
    }

    /** Wakes all threads that wait for a word of memory, of this process alone or of all that map it. */
    public static int futexWake(MemorySegment state, long address, boolean own) {
        return (int) call(state, SYS_FUTEX, address, own ? FUTEX_WAKE_PRIVATE : FUTEX_WAKE, Integer.MAX_VALUE, 0, 0);
    }

    /** The effective user of this process. */
    public static int user(MemorySegment state) {
        return (int) call(state, SYS_GETEUID, 0, 0, 0, 0, 0);
    }

    /** sched_setattr(2), for which the C library has no function. */
    static int scheduleCallingThread(MemorySegment state, MemorySegment attributes) {
        return call(state, SYS_SCHED_SETATTR, 0, attributes, 0);
    }
}
