package io.verbena.sockets.nio.opening;

import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/** Translates the exceptions of channels to those of sockets. A closed channel is reported as channels do, except by options. */
public final class SocketFailure {

    private SocketFailure() {}

    /** A call of a channel. */
    public interface Call<T extends @Nullable Object> {
        T run() throws IOException;
    }

    public static <T> T call(Call<T> action) throws IOException {
        try {
            return action.run();
        } catch (NotYetConnectedException e) {
            throw withCause(new SocketException("Socket is not connected"), e);
        } catch (AlreadyConnectedException e) {
            throw withCause(new SocketException("Already connected"), e);
        } catch (AlreadyBoundException e) {
            throw withCause(new SocketException("Already bound"), e);
        } catch (UnresolvedAddressException e) {
            throw withCause(new UnknownHostException("Unresolved address"), e);
        } catch (UnsupportedAddressTypeException e) {
            throw new IllegalArgumentException("Unsupported address type", e);
        }
    }

    private static IOException withCause(IOException failure, Exception cause) {
        failure.initCause(cause);
        return failure;
    }

    public static void run(Call<?> action) throws IOException {
        call(() -> {
            action.run();
            return "";
        });
    }

    /** A call that sockets allow to fail with socket exceptions only. */
    public static <T> T option(Call<T> action) throws SocketException {
        try {
            return call(action);
        } catch (SocketException e) {
            throw e;
        } catch (ClosedChannelException e) {
            SocketException closed = new SocketException("Socket is closed");
            closed.initCause(e);
            throw closed;
        } catch (IOException e) {
            SocketException failure = new SocketException(e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    /** The result of a query; another one if the channel is closed. */
    public static <T> T orElse(Call<T> action, T closed) {
        try {
            return action.run();
        } catch (IOException _) {
            return closed;
        }
    }

    /** The result of a query; null if the channel is closed or has none. */
    public static <T> @Nullable T orNull(Call<@Nullable T> action) {
        try {
            return action.run();
        } catch (IOException _) {
            return null;
        }
    }
}
