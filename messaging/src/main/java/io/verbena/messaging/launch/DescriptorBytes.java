package io.verbena.messaging.launch;

import io.verbena.messaging.start.JobStartException;
import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.SocketTimeoutException;

/**
 * A socket that the launcher has left open in this process. Java can neither adopt a descriptor by its number nor open a socket through
 * {@code /dev/fd}, so the system is called: {@code poll}, {@code read}, {@code write}, {@code close}.
 */
final class DescriptorBytes implements LauncherWire.Bytes {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong SIZE = ValueLayout.JAVA_LONG;
    private static final AddressLayout ADDRESS = ValueLayout.ADDRESS;
    private static final short POLLIN = 1;
    private static final short POLLOUT = 4;
    private static final int SLICE_MS = 1_000;
    private static final int MAX_BYTES = 8192;

    private final int descriptor;
    private final MethodHandle poll = call("poll", INT, ADDRESS, SIZE, INT);
    private final MethodHandle read = call("read", SIZE, INT, ADDRESS, SIZE);
    private final MethodHandle write = call("write", SIZE, INT, ADDRESS, SIZE);
    private final MethodHandle close = call("close", INT, INT);
    private final MemorySegment memory = Arena.ofAuto().allocate(MAX_BYTES, 8);
    private final MemorySegment polled = Arena.ofAuto().allocate(8, 8);
    private boolean closed;

    DescriptorBytes(String variable, int descriptor) throws JobStartException {
        if (descriptor < 3) {
            throw new JobStartException(
                    variable + " must be the number of a socket that is open, not " + descriptor + ".");
        }
        this.descriptor = descriptor;
    }

    private static MethodHandle call(String name, MemoryLayout result, MemoryLayout... arguments)
            throws JobStartException {
        Linker linker = Linker.nativeLinker();
        MemorySegment function = linker.defaultLookup()
                .find(name)
                .orElseThrow(
                        () -> new JobStartException("The launcher left a socket open, which this system cannot use: it"
                                + " has no function " + name + ". With Hydra use mpiexec -pmi-port."));
        return linker.downcallHandle(function, FunctionDescriptor.of(result, arguments));
    }

    @Override
    public int read(byte[] into, long deadlineNs) throws IOException {
        await(POLLIN, deadlineNs);
        long count = invoke(() -> (long) read.invokeExact(descriptor, memory, (long) Math.min(into.length, MAX_BYTES)));
        if (count < 0) {
            throw unusable();
        }
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, into, 0, (int) count);
        return (int) count;
    }

    @Override
    public void write(byte[] bytes, long deadlineNs) throws IOException {
        for (int done = 0; done < bytes.length; ) {
            await(POLLOUT, deadlineNs);
            int length = Math.min(bytes.length - done, MAX_BYTES);
            MemorySegment.copy(bytes, done, memory, ValueLayout.JAVA_BYTE, 0, length);
            long count = invoke(() -> (long) write.invokeExact(descriptor, memory, (long) length));
            if (count <= 0) {
                throw unusable();
            }
            done += (int) count;
        }
    }

    /** Waits until the socket is ready, in slices: a signal may end the call early. */
    private void await(short events, long deadlineNs) throws IOException {
        while (true) {
            long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new SocketTimeoutException();
            }
            polled.set(INT, 0, descriptor);
            polled.set(ValueLayout.JAVA_SHORT, 4, events);
            polled.set(ValueLayout.JAVA_SHORT, 6, (short) 0);
            int timeoutMs = (int) Math.min(leftMs, SLICE_MS);
            long ready = invoke(() -> (long) (int) poll.invokeExact(polled, 1L, timeoutMs));
            short seen = polled.get(ValueLayout.JAVA_SHORT, 6);
            if (ready > 0 && (seen & ~events) != 0 && (seen & events) == 0) {
                throw unusable();
            }
            if (ready > 0) {
                return;
            }
        }
    }

    private JobStartException unusable() {
        return new JobStartException(
                "The socket " + descriptor + " that the launcher of this rank left open is not usable.");
    }

    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            invoke(() -> (long) (int) close.invokeExact(descriptor));
        }
    }

    private interface SystemCall {
        @SuppressWarnings("MissingThrowsDescription")
        long run() throws Throwable;
    }

    private static long invoke(SystemCall call) {
        try {
            return call.run();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a function of the system threw an exception", e);
        }
    }
}
