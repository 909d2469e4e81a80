package io.verbena.host;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.Arrays;

/**
 * The socket calls of the C library through the FFM API, for Linux on 64-bit little-endian machines. Each returns the
 * result of the C function, or {@code -errno} instead of -1. Addresses are plain numbers: the caller ensures that the
 * memory remains valid during the call.
 */
final class Linux {

    // Numbers of the Linux ABI that x86-64 and AArch64 share: errno.h, sys/socket.h, netinet/in.h, sys/epoll.h.
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EFAULT = 14;
    static final int ENFILE = 23;
    static final int EMFILE = 24;
    static final int ENOBUFS = 105;
    static final int EINPROGRESS = 115;
    static final int EIO = 5;
    static final int EBADF = 9;
    static final int EINVAL = 22;
    static final int EMSGSIZE = 90;

    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int SOCK_STREAM_NONBLOCK_CLOEXEC = 1 | 0x800 | 0x80000;
    static final int SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0x800 | 0x80000;
    static final int SOCK_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SO_REUSEADDR = 2;
    static final int SO_ERROR = 4;
    static final int SO_SNDBUF = 7;
    static final int SO_RCVBUF = 8;
    static final int SO_KEEPALIVE = 9;
    static final int SO_LINGER = 13;
    static final int IPPROTO_TCP = 6;
    static final int TCP_NODELAY = 1;
    static final int TCP_KEEPIDLE = 4;
    static final int TCP_KEEPINTVL = 5;
    static final int TCP_KEEPCNT = 6;
    static final int TCP_CONGESTION = 13;
    static final int IPPROTO_IPV6 = 41;
    static final int IPV6_V6ONLY = 26;
    static final int IPPROTO_IP = 0;
    static final int IP_TOS = 1;
    static final int IP_MTU_DISCOVER = 10;
    static final int IP_RECVERR = 11;
    static final int IP_RECVTOS = 13;
    static final int IP_MULTICAST_IF = 32;
    static final int IP_MULTICAST_TTL = 33;
    static final int IP_ADD_MEMBERSHIP = 35;
    static final int IP_PMTUDISC_PROBE = 3;
    static final int IPV6_MULTICAST_IF = 17;
    static final int IPV6_MULTICAST_HOPS = 18;
    static final int IPV6_ADD_MEMBERSHIP = 20;
    static final int IPV6_MTU_DISCOVER = 23;
    static final int IPV6_RECVERR = 25;
    static final int IPV6_RECVTCLASS = 66;
    static final int IPV6_TCLASS = 67;
    static final int IPPROTO_UDP = 17;
    static final int UDP_NO_CHECK6_RX = 102;
    static final int UDP_SEGMENT = 103;
    static final int UDP_GRO = 104;
    static final int MSG_TRUNC = 0x20;
    static final int MSG_ERRQUEUE = 0x2000;
    static final int MSG_NOSIGNAL = 0x4000;
    static final int SHUT_WR = 1;

    static final int EPOLLIN = 0x1;
    static final int EPOLLOUT = 0x4;
    static final int EPOLLERR = 0x8;
    static final int EPOLLHUP = 0x10;
    static final int EPOLLRDHUP = 0x2000;
    static final int EPOLLET = 1 << 31;
    static final int EPOLL_CTL_ADD = 1;
    static final int EPOLL_CTL_DEL = 2;
    static final int EPOLL_CTL_MOD = 3;
    private static final int EPOLL_CLOEXEC = 0x80000;
    private static final int F_DUPFD_CLOEXEC = 1030;

    /** Most pieces of one gathering call. */
    static final int IOV_MAX = 1024;

    /** struct iovec: address, then length. */
    static final int IOVEC_BYTES = 16;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle SOCKET = handle("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = handle("bind", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle LISTEN = handle("listen", JAVA_INT, JAVA_INT);
    private static final MethodHandle ACCEPT4 = handle("accept4", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    private static final MethodHandle CONNECT = handle("connect", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKNAME = handle("getsockname", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle GETPEERNAME = handle("getpeername", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SETSOCKOPT =
            handle("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKOPT = handle("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SHUTDOWN = handle("shutdown", JAVA_INT, JAVA_INT);
    private static final MethodHandle CLOSE = handle("close", JAVA_INT);
    private static final MethodHandle EPOLL_CREATE1 = handle("epoll_create1", JAVA_INT);
    private static final MethodHandle EPOLL_CTL = handle("epoll_ctl", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle EVENTFD = handle("eventfd", JAVA_INT, JAVA_INT);
    private static final MethodHandle FCNTL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("fcntl"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(2));
    // The calls of every round go through syscall(2): the C library's own wrappers are points where a thread may be
    // cancelled, which costs two atomic steps a call.
    private static final boolean X86 = Machine.X86;
    private static final long SYS_READV = X86 ? 19 : 65;
    private static final long SYS_WRITEV = X86 ? 20 : 66;
    private static final long SYS_SENDTO = X86 ? 44 : 206;
    private static final long SYS_RECVFROM = X86 ? 45 : 207;
    private static final long SYS_SENDMSG = X86 ? 46 : 211;
    private static final long SYS_RECVMSG = X86 ? 47 : 212;
    private static final long SYS_EPOLL_PWAIT = X86 ? 281 : 22;
    private static final long SYS_SCHED_SETATTR = X86 ? 314 : 274;
    private static final MethodHandle SYSCALL3 = systemCall(3);
    private static final MethodHandle SYSCALL6 = systemCall(6);
    private static final MethodHandle READ = transfer("read", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WRITE = transfer("write", JAVA_LONG, JAVA_LONG);

    private Linux() {}

    private static MethodHandle handle(String name, MemoryLayout... parameters) {
        return downcall(name, FunctionDescriptor.of(JAVA_INT, parameters));
    }

    /** A call that moves bytes: a descriptor first, a long result. */
    private static MethodHandle transfer(String name, MemoryLayout... parameters) {
        return downcall(name, FunctionDescriptor.of(JAVA_LONG, parameters).insertArgumentLayouts(0, JAVA_INT));
    }

    private static MethodHandle downcall(String name, FunctionDescriptor function) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), function, Linker.Option.captureCallState("errno"));
    }

    /** A call by its number, which every architecture has its own of. */
    private static MethodHandle systemCall(int arguments) {
        MemoryLayout[] parameters = new MemoryLayout[1 + arguments];
        Arrays.fill(parameters, JAVA_LONG);
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(JAVA_LONG, parameters),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(1));
    }

    /** Where a call leaves its errno: one for each thread at a time. */
    static MemorySegment newState(Arena arena) {
        return arena.allocate(STATE);
    }

    private static int outcome(int result, MemorySegment state) {
        return result >= 0 ? result : -(int) ERRNO.get(state, 0L);
    }

    private static long outcome(long result, MemorySegment state) {
        return result >= 0 ? result : -(int) ERRNO.get(state, 0L);
    }

    private static AssertionError impossible(Throwable e) {
        return new AssertionError("a call into the C library cannot throw", e);
    }

    // Bytes: the hot ones.

    static long recv(MemorySegment state, int fd, long address, long bytes) {
        return call(state, SYS_RECVFROM, fd, address, bytes, 0);
    }

    static long send(MemorySegment state, int fd, long address, long bytes) {
        return call(state, SYS_SENDTO, fd, address, bytes, MSG_NOSIGNAL);
    }

    private static long call(MemorySegment state, long number, int fd, long address, long bytes, long flags) {
        try {
            return outcome((long) SYSCALL6.invokeExact(state, number, (long) fd, address, bytes, flags, 0L, 0L), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** The JVM ignores SIGPIPE, so that a broken pipe is an errno here as well. */
    static long writev(MemorySegment state, int fd, MemorySegment iovecs, int count) {
        return vector(state, SYS_WRITEV, fd, iovecs, count);
    }

    static long readv(MemorySegment state, int fd, MemorySegment iovecs, int count) {
        return vector(state, SYS_READV, fd, iovecs, count);
    }

    private static long vector(MemorySegment state, long number, int fd, MemorySegment iovecs, int count) {
        try {
            long at = iovecs.address();
            long result = (long) SYSCALL3.invokeExact(state, number, (long) fd, at, (long) count);
            Reference.reachabilityFence(iovecs);
            return outcome(result, state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** The JVM ignores SIGPIPE; datagrams raise none. */
    static int sendmsg(MemorySegment state, int fd, MemorySegment header, int flags) {
        return message(state, SYS_SENDMSG, fd, header, flags);
    }

    static int recvmsg(MemorySegment state, int fd, MemorySegment header, int flags) {
        return message(state, SYS_RECVMSG, fd, header, flags);
    }

    private static int message(MemorySegment state, long number, int fd, MemorySegment header, int flags) {
        try {
            long at = header.address();
            long result = (long) SYSCALL3.invokeExact(state, number, (long) fd, at, (long) flags);
            Reference.reachabilityFence(header);
            return (int) outcome(result, state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static long read(MemorySegment state, int fd, long address, long bytes) {
        try {
            return outcome((long) READ.invokeExact(state, fd, address, bytes), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static long write(MemorySegment state, int fd, long address, long bytes) {
        try {
            return outcome((long) WRITE.invokeExact(state, fd, address, bytes), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    // Readiness.

    static int epollCreate(MemorySegment state) {
        try {
            return outcome((int) EPOLL_CREATE1.invokeExact(state, EPOLL_CLOEXEC), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int epollCtl(MemorySegment state, int epoll, int operation, int fd, long event) {
        try {
            return outcome((int) EPOLL_CTL.invokeExact(state, epoll, operation, fd, event), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int epollWait(MemorySegment state, int epoll, MemorySegment events, int most, int timeoutMs) {
        try {
            long at = events.address();
            long result = (long) SYSCALL6.invokeExact(
                    state, SYS_EPOLL_PWAIT, (long) epoll, at, (long) most, (long) timeoutMs, 0L, 0L);
            Reference.reachabilityFence(events);
            return (int) outcome(result, state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int eventfd(MemorySegment state) {
        try {
            return outcome((int) EVENTFD.invokeExact(state, 0, SOCK_NONBLOCK_CLOEXEC), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    // Sockets.

    static int socket(MemorySegment state, int family) {
        return socket(state, family, SOCK_STREAM_NONBLOCK_CLOEXEC);
    }

    static int datagramSocket(MemorySegment state, int family) {
        return socket(state, family, SOCK_DGRAM_NONBLOCK_CLOEXEC);
    }

    private static int socket(MemorySegment state, int family, int type) {
        try {
            return outcome((int) SOCKET.invokeExact(state, family, type, 0), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int bind(MemorySegment state, int fd, MemorySegment address, int length) {
        try {
            return outcome((int) BIND.invokeExact(state, fd, address, length), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int listen(MemorySegment state, int fd, int backlog) {
        try {
            return outcome((int) LISTEN.invokeExact(state, fd, backlog), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int accept(MemorySegment state, int fd) {
        try {
            return outcome(
                    (int) ACCEPT4.invokeExact(state, fd, MemorySegment.NULL, MemorySegment.NULL, SOCK_NONBLOCK_CLOEXEC),
                    state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int connect(MemorySegment state, int fd, MemorySegment address, int length) {
        try {
            return outcome((int) CONNECT.invokeExact(state, fd, address, length), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int name(MemorySegment state, int fd, boolean peer, MemorySegment address, MemorySegment length) {
        try {
            int result = peer
                    ? (int) GETPEERNAME.invokeExact(state, fd, address, length)
                    : (int) GETSOCKNAME.invokeExact(state, fd, address, length);
            return outcome(result, state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int setOption(MemorySegment state, int fd, int level, int option, MemorySegment value) {
        try {
            int length = (int) value.byteSize();
            return outcome((int) SETSOCKOPT.invokeExact(state, fd, level, option, value, length), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int option(MemorySegment state, int fd, int level, int option, MemorySegment value, MemorySegment length) {
        try {
            return outcome((int) GETSOCKOPT.invokeExact(state, fd, level, option, value, length), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int shutdownOutput(MemorySegment state, int fd) {
        try {
            return outcome((int) SHUTDOWN.invokeExact(state, fd, SHUT_WR), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    static int close(MemorySegment state, int fd) {
        try {
            return outcome((int) CLOSE.invokeExact(state, fd), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** A second descriptor of the same open socket. */
    static int duplicate(MemorySegment state, int fd) {
        try {
            return outcome((int) FCNTL.invokeExact(state, fd, F_DUPFD_CLOEXEC, 3), state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    // Threads.

    /** sched_setattr(2), for which the C library has no function. */
    static int scheduleCallingThread(MemorySegment state, MemorySegment attributes) {
        try {
            long at = attributes.address();
            long result = (long) SYSCALL3.invokeExact(state, SYS_SCHED_SETATTR, 0L, at, 0L);
            Reference.reachabilityFence(attributes);
            return (int) outcome(result, state);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }
}
