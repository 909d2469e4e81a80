package io.verbena.rnic.iwarp;

import io.verbena.base.Log;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.notify.SerialRunner;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.Connection;
import io.verbena.verbs.StreamConversion;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The conversion of an application's stream to RDMA mode, and its return to the application when the conversion is
 * rejected (RFC 5044 sections 7.1.2 to 7.1.5).
 */
final class Conversion {

    private final StreamConversion manner;
    private final StreamReturn rejected;
    private final SerialRunner runner;

    private Conversion(StreamConversion manner, StreamReturn rejected, SerialRunner runner) {
        this.manner = manner;
        this.rejected = rejected;
        this.runner = runner;
    }

    /** A stream that was the program's carries any private data, unless the connection is to survive it. */
    private static SurvivalTerms survival(IwarpQueuePair endpoint, ByteStream stream, StreamConversion manner) {
        if (manner.options().survival().isEmpty()) {
            return SurvivalTerms.None.NONE;
        }
        return SurvivalTerms.of(
                manner.options(),
                manner.initiator() ? Optional.of(stream.remoteAddress()) : Optional.empty(),
                Optional.empty(),
                endpoint.survivors());
    }

    /** Begins the conversion. Later failures are reported by the connection. */
    static Connection begin(
            IwarpQueuePair endpoint, ByteStream stream, StreamConversion manner, StreamReturn rejected) {
        SoftQueuePair queuePair = endpoint.queuePair();
        RnicContext context = queuePair.rnicContext();
        StartUpOptions options = manner.initiator()
                ? ConnectionSetUp.initiator(manner.options(), queuePair.options(), context.options())
                : ConnectionSetUp.responder(manner.options(), queuePair.options(), context.options());
        SurvivalTerms survival = survival(endpoint, stream, manner);
        SoftConnection connection = new SoftConnection(queuePair, stream.remoteAddress());
        connection.beforeDecision(rejected::keep);
        endpoint.claim(connection, ConnectionEvent.TAKE_OVER);
        ConnectionSetUp setUp = new ConnectionSetUp(endpoint, connection, options, manner.options(), survival);
        Conversion conversion = new Conversion(
                manner, rejected, new SerialRunner(context.environment().listenerProcessor()));
        endpoint.command(() -> {
            if (setUp.abandoned(stream)) {
                return;
            }
            try {
                if (manner.offersMemory()) {
                    DialStage.offer(setUp, stream, conversion);
                    return;
                }
                StreamLoop streams = setUp.engine().streams();
                Optional<ByteStream> begun =
                        manner.initiator() ? Optional.empty() : streams.adoptBegun(stream, manner.alreadyRead());
                if (begun.isPresent()) {
                    StartUpStage.conversion(setUp, begun.get(), conversion.ofBegunStream());
                } else {
                    StartUpStage.conversion(setUp, streams.adopt(stream, manner.initiator()), conversion);
                }
            } catch (Throwable e) {
                stream.close(true);
                throw e;
            }
        });
        return connection;
    }

    /** The same, for a stream that has the bytes that were already read. */
    private Conversion ofBegunStream() {
        return new Conversion(manner.withAlreadyRead(new byte[0]), rejected, runner);
    }

    boolean initiator() {
        return manner.initiator();
    }

    byte[] alreadyRead() {
        return manner.alreadyRead();
    }

    byte[] lastStreamMessage() {
        return manner.lastStreamMessage();
    }

    /**
     * Runs the application's filter for a request, as a listener and not on the engine, which a blocking filter would
     * delay.
     *
     * @param decided called on the listener's processor with the private data of the rejection, or empty to accept
     */
    void ask(byte[] privateData, Consumer<Optional<PrivateData>> decided) {
        runner.add(() -> decided.accept(rejection(privateData)));
    }

    private Optional<PrivateData> rejection(byte[] privateData) {
        try {
            return manner.rejection().apply(privateData).map(PrivateData::of);
        } catch (Throwable e) {
            Log.callback("The filter of a conversion", e);
            return Optional.of(PrivateData.EMPTY);
        }
    }

    /** Returns the stream to the application after a rejection. */
    void giveBack(ConnectionSetUp setUp, ByteStream stream, byte[] alreadyRead) {
        if (stream.throughMemory()) {
            rejected.keep(); // what is left is a stream in shared memory, not the socket of the application
            stream.close(false);
            return;
        }
        ByteStream back = setUp.engine().streams().handBack(stream);
        try {
            rejected.giveBack(back, alreadyRead).ifPresent(setUp.connection()::returned);
        } catch (IOException e) {
            // The socket is gone: the application finds no stream, and the connection state gives the reason.
            back.close(true);
        }
    }
}
