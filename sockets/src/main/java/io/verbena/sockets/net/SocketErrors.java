package io.verbena.sockets.net;

import io.verbena.sockets.nio.UninterruptibleChannels;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;

/** Calls of channels with the exceptions of the sockets of the JDK, which programs distinguish by type and message. */
final class SocketErrors {

    private SocketErrors() {}

    /** A call of a channel or of its socket. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** A call without a result. */
    interface Action {
        void run() throws IOException;
    }

    static void run(Action action) throws IOException {
        call(() -> {
            action.run();
            return true;
        });
    }

    static <T> T call(Call<T> call) throws IOException {
        try {
            return call.run();
        } catch (SocketException | SocketTimeoutException | UnknownHostException e) {
            throw e;
        } catch (ClosedByInterruptException e) {
            throw interrupted(e);
        } catch (ClosedChannelException e) {
            throw because(new SocketException("Socket closed"), e);
        } catch (IOException e) {
            throw because(new SocketException(e.getMessage()), e);
        } finally {
            UninterruptibleChannels.restoreStatus();
        }
    }

    /** Only a virtual thread is interrupted so. The socket of the JDK closes itself when it sees this exception. */
    private static IOException interrupted(ClosedByInterruptException e) {
        return because(new InterruptedIOException(), e);
    }

    private static IOException because(IOException failure, Exception cause) {
        failure.initCause(cause);
        return failure;
    }

    /** An option, which can fail with a {@link SocketException} only. */
    static <T> T option(Call<T> call) throws SocketException {
        try {
            return call(call);
        } catch (SocketException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            SocketException failure = new SocketException(e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }
}
