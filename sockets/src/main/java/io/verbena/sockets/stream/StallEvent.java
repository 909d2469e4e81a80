package io.verbena.sockets.stream;

import io.verbena.text.AddressText;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A time without space to write, for the flight recorder. */
@Name("io.verbena.sockets.Stall")
@Label("Socket Stall")
@Category({"Verbena", "Sockets"})
@Description("A program wanted to write, and the send buffer had no space. Emitted when there is space again.")
@StackTrace(false)
final class StallEvent extends Event {

    /** Used to check whether the event is enabled, without an object per stall. */
    private static final StallEvent ASKED = new StallEvent();

    @Label("Local Address")
    String local = "";

    @Label("Remote Address")
    String remote = "";

    @Label("Time Without Space")
    @Timespan(Timespan.NANOSECONDS)
    long stalled;

    @Label("Send Buffer")
    @DataAmount
    int sendBuffer;

    @Label("Credits")
    @Description(
            "Data messages that this side may send before the peer grants more: without credits the peer reads too slowly.")
    int credits;

    static void emit(StreamSocket socket, long stalledNs, int sendBufferBytes, int credits) {
        if (!ASKED.isEnabled()) {
            return;
        }
        StallEvent event = new StallEvent();
        event.local = socket.localAddress().map(AddressText::of).orElse("");
        event.remote = socket.remoteAddress().map(AddressText::of).orElse("");
        event.stalled = stalledNs;
        event.sendBuffer = sendBufferBytes;
        event.credits = credits;
        event.commit();
    }
}
