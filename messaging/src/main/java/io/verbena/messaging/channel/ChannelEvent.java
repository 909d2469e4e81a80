package io.verbena.messaging.channel;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** Figures of a channel, emitted every ten seconds and at the end of the channel. */
@Name("io.verbena.messaging.channel.Channel")
@Label("Channel figures")
@Category({"Verbena", "Messaging"})
@Period("10 s")
@StackTrace(false)
final class ChannelEvent extends Event {
    @Label("Peer")
    String peer = "";

    @Label("Registered bytes")
    @DataAmount
    long registeredBytes;

    @Label("Payload of send buffers")
    @DataAmount
    int sendPayloadBytes;

    @Label("Enlargements")
    long enlargements;

    @Label("Shrinks")
    long shrinks;

    @Label("Refusals")
    long refusals;

    @Label("Copies")
    long copies;

    @Label("Eager messages")
    long eager;

    @Label("Rendezvous messages")
    long rendezvous;

    @Label("Reason of the end")
    String reason = "";

    static void emit(String peer, ChannelFigures figures, String reason) {
        ChannelEvent event = new ChannelEvent();
        event.peer = peer;
        event.registeredBytes = figures.buffers().registeredBytes();
        event.sendPayloadBytes = figures.buffers().sendPayloadBytes();
        event.enlargements = figures.changes().enlargements();
        event.shrinks = figures.changes().shrinks();
        event.refusals = figures.changes().refusals();
        event.copies = figures.elements().copies();
        event.eager = figures.messages().eager();
        event.rendezvous = figures.messages().rendezvous();
        event.reason = reason;
        event.commit();
    }
}
