package io.verbena.messaging;

import static io.verbena.verbs.Figure.counter;
import static io.verbena.verbs.Figure.gauge;

import io.verbena.messaging.channel.ChannelFigures;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.List;

/** The figures of channels under the names of docs/observing.md, for the forms that monitoring systems read. */
public final class ChannelMetrics {

    static final Figure REGISTERED = gauge(
            "verbena.channel.registered",
            "By",
            "",
            "Registered memory of rings, staging buffers and the control block of this side.");
    static final Figure PAYLOAD = gauge(
            "verbena.channel.payload.limit",
            "By",
            "direction",
            "Largest payload of an element on virtual channel 0: transmit, receive.");
    static final Figure PHASE = gauge("verbena.channel.phase", "{phase}", "", "Present phase of the policy, from 0.");
    static final Figure RESIZES = counter(
            "verbena.channel.resizes",
            "{resize}",
            "result",
            "Changes of the send buffers of this side: enlarged, shrunk, refused.");
    static final Figure ELEMENTS =
            counter("verbena.channel.elements", "{element}", "direction", "Elements: transmit, receive.");
    static final Figure COPIES =
            counter("verbena.channel.copies", "{copy}", "", "Payloads that were copied into or out of slots.");
    static final Figure COPIED = counter("verbena.channel.copied", "By", "", "Bytes of these copies.");
    static final Figure SIGNALS = counter(
            "verbena.channel.signals",
            "{signal}",
            "kind",
            "Elements sent with an announcement, Writes that only returned slots, requests to repeat an acknowledgement:"
                    + " announcement, return, repetition.");
    static final Figure MESSAGES = counter(
            "verbena.channel.messages",
            "{message}",
            "protocol",
            "Messages of a communicator: eager through slots, rendezvous from user memory to user memory.");

    private ChannelMetrics() {}

    /** All definitions, in the order of the documentation. */
    public static List<Figure> all() {
        return List.of(REGISTERED, PAYLOAD, PHASE, RESIZES, ELEMENTS, COPIES, COPIED, SIGNALS, MESSAGES);
    }

    /**
     * These figures of one channel.
     *
     * @param peer a name of the peer that no other channel of the process has
     */
    public static Figures of(String peer, ChannelFigures figures) {
        return Figures.of("channel")
                .identity("peer", peer)
                .value(REGISTERED, figures.buffers().registeredBytes())
                .value(PAYLOAD, "transmit", figures.buffers().sendPayloadBytes())
                .value(PAYLOAD, "receive", figures.buffers().receivePayloadBytes())
                .value(PHASE, figures.buffers().sendPhase())
                .value(RESIZES, "enlarged", figures.changes().enlargements())
                .value(RESIZES, "shrunk", figures.changes().shrinks())
                .value(RESIZES, "refused", figures.changes().refusals())
                .value(ELEMENTS, "transmit", figures.elements().sent())
                .value(ELEMENTS, "receive", figures.elements().received())
                .value(COPIES, figures.elements().copies())
                .value(COPIED, figures.elements().copiedBytes())
                .value(SIGNALS, "announcement", figures.elements().announced())
                .value(SIGNALS, "return", figures.elements().returnWrites())
                .value(SIGNALS, "repetition", figures.changes().repetitions())
                .value(MESSAGES, "eager", figures.messages().eager())
                .value(MESSAGES, "rendezvous", figures.messages().rendezvous())
                .build();
    }
}
