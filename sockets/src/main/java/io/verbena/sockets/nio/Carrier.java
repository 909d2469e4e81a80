package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamFigures;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/** What carries the bytes of a connected channel. One thread at a time reads, and one writes. */
sealed interface Carrier permits PlainCarrier, WaitedCarrier {

    /** As {@link java.nio.channels.SocketChannel#read(ByteBuffer[], int, int)}; does not block. */
    long read(ByteBuffer[] targets, int offset, int length) throws IOException;

    /** As {@link java.nio.channels.SocketChannel#write(ByteBuffer[], int, int)}; does not block. */
    long write(ByteBuffer[] sources, int offset, int length) throws IOException;

    /** What is ready beyond what a selector of the JDK reports: operations of a selection key. */
    int readyOps();

    void shutdownInput() throws IOException;

    void shutdownOutput() throws IOException;

    Optional<SocketAddress> localAddress() throws IOException;

    Optional<SocketAddress> remoteAddress() throws IOException;

    /** Ends the connection. {@code reset} drops what was not sent, and the peer reads "Connection reset". */
    void close(boolean reset) throws IOException;

    SocketTransport transport();

    StreamFigures figures();
}
