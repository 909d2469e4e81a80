package io.verbena.hardware.abi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Calls of libc for file descriptors: those of the event channels, and one that wakes the thread that waits for them. */
public final class SystemCalls {

    /** poll(2): data can be read. */
    public static final int POLLIN = 1;

    /** struct pollfd: fd 0, events 4 (16 bits), revents 6 (16 bits). */
    public static final int POLLFD_BYTES = 8;

    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final int EFD_CLOEXEC = 0x80000;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle POLL =
            libc("poll", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle EVENTFD = libc("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle READ =
            libc("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle WRITE =
            libc("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLOSE = libc("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FCNTL = libc(
            "fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));

    private static final MethodHandle ERRNO_LOCATION = libc("__errno_location", FunctionDescriptor.of(JAVA_LONG));

    private SystemCalls() {}

    /** Sets the errno of this thread. Functions leave it as it is unless they fail, and some do even then. */
    public static void errno(int value) {
        try {
            Native.putInt((long) ERRNO_LOCATION.invokeExact(), value);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle libc(String name, FunctionDescriptor type, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, options);
    }

    /** Waits until one of these pollfd is ready; a negative time waits without limit. Returns the number that is, or less than 0. */
    public static int poll(long pollfds, int count, int timeoutMs) {
        try {
            return (int) POLL.invokeExact(pollfds, (long) count, timeoutMs);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** A descriptor that counts: it is readable while its number is not 0. Reading does not wait. */
    public static int eventfd() {
        try {
            return (int) EVENTFD.invokeExact(0, EFD_CLOEXEC | O_NONBLOCK);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Reads 8 bytes; returns the number of bytes read, or less than 0. */
    public static long readLong(int fd, long to) {
        try {
            return (long) READ.invokeExact(fd, to, (long) Long.BYTES);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Writes 8 bytes; returns the number of bytes written, or less than 0. */
    public static long writeLong(int fd, long from) {
        try {
            return (long) WRITE.invokeExact(fd, from, (long) Long.BYTES);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    public static int close(int fd) {
        try {
            return (int) CLOSE.invokeExact(fd);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Calls on this descriptor do not wait any more. */
    public static void doNotWait(int fd) {
        try {
            int flags = (int) FCNTL.invokeExact(fd, F_GETFL, 0);
            int _ = (int) FCNTL.invokeExact(fd, F_SETFL, flags | O_NONBLOCK);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
