package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamFigures;
import java.time.Duration;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The events of a connection, for the flight recorder: what carries it, and at its end what it has carried. */
@Category({"Verbena", "Sockets"})
@StackTrace(false)
abstract class ConnectionEvent extends Event {

    @Label("Connection")
    long connection;

    @Label("Local Address")
    String local = "";

    @Label("Remote Address")
    String remote = "";

    @Label("Transport")
    String transport = "";

    /** A channel was connected. */
    @Name("io.verbena.sockets.Connect")
    @Label("Socket Connect")
    @Description("A channel was connected, by RDMA or by TCP.")
    static final class Connect extends ConnectionEvent {

        private static final Connect ASKED = new Connect();

        @Label("RDMA Requested")
        @Description("Whether RDMA was tried first.")
        boolean requested;

        @Label("Time to Connect")
        @Timespan(Timespan.NANOSECONDS)
        long connecting;

        static void emit(CarriedChannel channel, boolean requested, Duration connecting) {
            if (ASKED.isEnabled()) {
                Connect event = new Connect();
                event.requested = requested;
                event.connecting = connecting.toNanos();
                channel.figures().ifPresent(event::finish);
            }
        }
    }

    /** A program has accepted a connection. */
    @Name("io.verbena.sockets.Accept")
    @Label("Socket Accept")
    @Description("A program has accepted a connection, by RDMA or by TCP.")
    static final class Accept extends ConnectionEvent {

        private static final Accept ASKED = new Accept();

        static void emit(CarriedChannel channel) {
            if (ASKED.isEnabled()) {
                channel.figures().ifPresent(new Accept()::finish);
            }
        }
    }

    /** A program has closed a connection. */
    @Name("io.verbena.sockets.Close")
    @Label("Socket Close")
    @Description("A program has closed a connection.")
    static final class Close extends ConnectionEvent {

        private static final Close ASKED = new Close();

        @Label("Bytes Sent")
        @DataAmount
        long sentBytes;

        @Label("Bytes Received")
        @DataAmount
        long receivedBytes;

        @Label("Messages Sent")
        long sentMessages;

        @Label("Messages Received")
        long receivedMessages;

        @Label("Copies Sent")
        long sentCopies;

        @Label("Copies Received")
        long receivedCopies;

        @Label("Stalls")
        long stalls;

        @Label("Time Without Space")
        @Timespan(Timespan.NANOSECONDS)
        long stalled;

        static void emit(CarriedChannel channel) {
            if (ASKED.isEnabled()) {
                channel.figures().ifPresent(Close::emit);
            }
        }

        private static void emit(SocketFigures figures) {
            StreamFigures stream = figures.stream();
            Close event = new Close();
            event.sentBytes = stream.sent().bytes();
            event.receivedBytes = stream.received().bytes();
            event.sentMessages = stream.sent().messages();
            event.receivedMessages = stream.received().messages();
            event.sentCopies = stream.sent().copies();
            event.receivedCopies = stream.received().copies();
            event.stalls = stream.stalls().count();
            event.stalled = stream.stalls().durationNs();
            event.finish(figures);
        }
    }

    /**
     * The events, if the flight recorder was ever used in this JVM. Else their classes are not loaded: the JVM makes
     * them anew for the recorder then, which delays the first connection and takes compilers that its first messages
     * need.
     */
    static final class Recorded {

        private Recorded() {}

        static void connect(CarriedChannel channel, boolean requested, Duration connecting) {
            if (FlightRecorder.isInitialized()) {
                Connect.emit(channel, requested, connecting);
            }
        }

        static void accept(CarriedChannel channel) {
            if (FlightRecorder.isInitialized()) {
                Accept.emit(channel);
            }
        }

        static void close(CarriedChannel channel) {
            if (FlightRecorder.isInitialized()) {
                Close.emit(channel);
            }
        }
    }

    /** Fills in what all events have, and commits. */
    final void finish(SocketFigures figures) {
        connection = figures.id();
        local = figures.route().local();
        remote = figures.route().remote();
        transport = figures.transport().name();
        commit();
    }
}
