package io.verbena.bench.sockets;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** How a program uses its channel: what it repeats while bytes or space are missing. */
enum Way {
    /** Calls of a non-blocking channel, again and again. */
    POLL,
    /** Calls of a blocking channel. */
    BLOCK,
    /** A selector. */
    SELECT;

    /** Prepares a channel. */
    Selector prepare(SocketChannel channel) throws IOException {
        Selector selector = channel.provider().openSelector();
        channel.configureBlocking(this == BLOCK);
        if (this == SELECT) {
            channel.register(selector, SelectionKey.OP_READ);
        }
        return selector;
    }

    private void await(Selector selector, int ops) throws IOException {
        if (this == SELECT) {
            selector.keys().iterator().next().interestOps(ops);
            selector.select();
            selector.selectedKeys().clear();
        }
    }

    void readAll(SocketChannel channel, Selector selector, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            int bytes = channel.read(into);
            if (bytes < 0) {
                throw new EOFException("the peer has ended");
            }
            if (bytes == 0) {
                await(selector, SelectionKey.OP_READ);
            }
        }
    }

    void writeAll(SocketChannel channel, Selector selector, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            if (channel.write(from) == 0) {
                await(selector, SelectionKey.OP_WRITE);
            }
        }
    }
}
