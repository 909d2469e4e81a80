package io.verbena.sockets.stream;

import io.verbena.sockets.protocol.StreamEngine;
import io.verbena.sockets.protocol.StreamSettings;
import io.verbena.sockets.protocol.StreamWork;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.QueuePair;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a socket gives to its queue pair: the work that the engine wants, and the bytes of the program, which go to the send buffer or straight
 * to the memory of the peer. With the lock of the socket.
 */
final class SocketOutput {

    private final SocketQueuePair queues;
    private final StreamEngine engine;
    private final StreamWork work;
    private final StreamFigures.Counters counters;

    /** Posts what was taken, and processes what has arrived. */
    private final Runnable settle;

    private int receives;

    /** Posting may drive the engine, whose listeners may come here again in the same thread. */
    private boolean posting;

    private boolean ended;

    SocketOutput(
            SocketQueuePair queues,
            StreamEngine engine,
            StreamWork work,
            StreamFigures.Counters counters,
            Runnable settle) {
        this.queues = queues;
        this.engine = engine;
        this.work = work;
        this.counters = counters;
        this.settle = settle;
        postReceives();
    }

    private void postReceives() {
        while (receives < engine.receives()) {
            queues.receive(receives++);
        }
    }

    /** Posts what the engine wants. */
    void post() {
        if (ended || posting) {
            return;
        }
        posting = true;
        try {
            postReceives();
            while (engine.nextWork(work)) {
                counters.onWork(work);
                queues.post(work, engine.immediate());
            }
            queues.flush();
        } finally {
            posting = false;
        }
    }

    /** The queue pair is being closed: nothing is posted any more. */
    void end() {
        ended = true;
    }

    // Buffers of the program.

    /** Takes what there is space for. What was taken last is not yet posted. */
    int takeAll(ByteBuffer source) {
        int bytes = take(source);
        int piece = bytes;
        while (piece > 0 && source.hasRemaining() && engine.places()) {
            settle.run();
            piece = take(source);
            bytes += piece;
        }
        if (source.hasRemaining()) {
            counters.onNoSpace(System.nanoTime());
        }
        return bytes;
    }

    /** The same from several buffers, in their order. */
    long takeAll(ByteBuffer[] sources, int first, int end) {
        long bytes = 0;
        boolean space = true;
        for (int i = first; i < end && space; i++) {
            if (engine.places() && sources[i].remaining() >= StreamSettings.LEAST_PLACED_BYTES) {
                settle.run(); // posts what was taken before: only after that can this buffer go straight to the peer
            }
            bytes += takeAll(sources[i]);
            space = !sources[i].hasRemaining();
        }
        return bytes;
    }

    /** Takes a large piece straight to the memory of the peer where that is possible, else bytes to the send buffer. */
    private int take(ByteBuffer source) {
        int bytes = place(source);
        if (bytes == 0) {
            bytes = engine.write(source);
            counters.onWritten(bytes);
        }
        return bytes;
    }

    /** The peer is reached by the engine, which this thread drives meanwhile: nothing is posted by what it finds. */
    private int place(ByteBuffer source) {
        int bytes = placeable(source.remaining());
        if (bytes == 0) {
            return 0;
        }
        boolean placed;
        posting = true;
        try {
            placed = queues.place(source, bytes, engine.placeAddress(), engine.placeKey());
        } finally {
            posting = false;
        }
        if (!placed) {
            engine.notPlaced();
            return 0;
        }
        source.position(source.position() + bytes);
        engine.placed(bytes);
        counters.onPlaced(bytes);
        return bytes;
    }

    private int placeable(int most) {
        return !ended && !posting ? engine.placeable(most) : 0;
    }

    // Channels.

    /** Reads a source once; returns the number of bytes, 0 if there is no space or it has none, -1 at its end. */
    int takeFrom(ByteSource source, int most) throws IOException {
        int bytes = placeFrom(source, most);
        return bytes == QueuePair.IMPOSSIBLE ? fillFrom(source, most) : bytes;
    }

    private int fillFrom(ByteSource source, int most) throws IOException {
        ByteBuffer space = engine.space(most);
        if (!space.hasRemaining()) {
            if (most > 0) {
                counters.onNoSpace(System.nanoTime());
            }
            return 0;
        }
        int bytes = source.read(space);
        if (bytes > 0) {
            engine.filled(bytes);
            counters.onFilled(bytes);
        }
        return bytes;
    }

    private int placeFrom(ByteSource source, int most) throws IOException {
        int space = placeable(most);
        if (space == 0) {
            return QueuePair.IMPOSSIBLE;
        }
        int bytes;
        posting = true;
        try {
            bytes = queues.placeFrom(source, space, engine.placeAddress(), engine.placeKey());
        } finally {
            posting = false;
        }
        if (bytes > 0) {
            engine.placed(bytes);
            counters.onFilledPlace(bytes);
        } else if (bytes == QueuePair.IMPOSSIBLE) {
            engine.notPlaced();
        }
        return bytes;
    }
}
