package io.verbena.sockets.nio;

import java.time.Duration;
import jdk.jfr.FlightRecorder;

/**
 * The events of a connection, if the flight recorder was ever used in this JVM. Else their classes are not loaded: the JVM makes them anew
 * for the recorder then, which takes a tenth of a second of the first connection, and compilers that its first messages need.
 */
final class Recorded {

    private Recorded() {}

    static void connect(CarriedChannel channel, boolean requested, Duration connecting) {
        if (FlightRecorder.isInitialized()) {
            ConnectionEvent.Connect.emit(channel, requested, connecting);
        }
    }

    static void accept(CarriedChannel channel) {
        if (FlightRecorder.isInitialized()) {
            ConnectionEvent.Accept.emit(channel);
        }
    }

    static void close(CarriedChannel channel) {
        if (FlightRecorder.isInitialized()) {
            ConnectionEvent.Close.emit(channel);
        }
    }
}
