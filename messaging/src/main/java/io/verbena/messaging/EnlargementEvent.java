package io.verbena.messaging;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Buffers of one direction of a virtual channel changed, or were refused; its duration is the sender's, from the request on. */
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
    @Description("Why other buffers were granted than asked for; empty if they were not")
    String refusal = "";
}
