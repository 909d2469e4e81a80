package io.verbena.messaging.ring;

import io.verbena.messaging.protocol.RefusalReason;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * The buffers of one direction of a virtual channel were replaced, or the request was refused. The duration is measured at the sender,
 * from its request on.
 */
@Name("io.verbena.messaging.Enlargement")
@Label("Buffer enlargement")
@Category({"Verbena", "Messaging"})
@StackTrace(false)
final class EnlargementEvent extends Event {
    @Label("Peer")
    String peer = "";

    @Label("Virtual channel")
    int virtualChannel;

    @Label("Payload before")
    @DataAmount
    int payloadBefore;

    @Label("Payload after")
    @DataAmount
    int payloadAfter;

    @Label("Refusal")
    @Description("Why other buffers were granted than requested; empty if the request was granted")
    String refusal = "";

    void refusal(RefusalReason reason) {
        refusal = reason == RefusalReason.NONE ? "" : reason.description();
    }
}
