package io.verbena.sockets.nio;

import static io.verbena.verbs.Figure.counter;
import static io.verbena.verbs.Figure.gauge;

import io.verbena.sockets.stream.StreamFigures;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The figures of stream sockets under the names of docs/observing.md, for the forms that monitoring systems read. */
public final class SocketMetrics {

    static final Figure IO = counter(
            "verbena.socket.io",
            "By",
            "direction",
            "What the program has written to the socket and read from it: transmit, receive.");
    static final Figure MESSAGES = counter(
            "verbena.socket.messages",
            "{message}",
            "direction",
            "Messages of the stream protocol: data messages sent, messages of every kind received. None without RDMA.");
    static final Figure COPIES = counter(
            "verbena.socket.copies",
            "{copy}",
            "direction",
            "Copies between memory of the program and the buffers of the stream.");
    static final Figure COPIED = counter("verbena.socket.copied", "By", "direction", "Bytes of these copies.");
    static final Figure CREDITS = gauge(
            "verbena.socket.credits",
            "{message}",
            "",
            "Data messages that this side may send before the peer permits more.");
    static final Figure STALLS = counter(
            "verbena.socket.stalls", "{stall}", "", "How often the program wanted to write and there was no space.");
    static final Figure STALLED =
            counter("verbena.socket.stalled", "ns", "", "How long in all, without a stall that lasts.");
    static final Figure BUFFER =
            gauge("verbena.socket.buffer.limit", "By", "buffer", "Size of the buffers of the stream: send, receive.");
    static final Figure USED = gauge(
            "verbena.socket.buffer.used",
            "By",
            "buffer",
            "Bytes that were written and have not arrived, and bytes that can be read: send, receive.");

    /** What a process publishes its sockets as, for {@link #published}. */
    public static final String KIND = ProcessFigures.KIND;

    private SocketMetrics() {}

    /** All definitions, in the order of the documentation. */
    public static List<Figure> all() {
        return List.of(IO, MESSAGES, COPIES, COPIED, CREDITS, STALLS, STALLED, BUFFER, USED);
    }

    /** These figures of one connection. */
    public static Figures of(SocketFigures figures) {
        StreamFigures stream = figures.stream();
        StreamFigures.Buffers buffers = stream.buffers();
        Figures.Builder socket = Figures.of("socket")
                .identity("number", figures.id())
                .text("local", figures.route().local())
                .text("remote", figures.route().remote())
                .text("accepted", figures.route().accepted())
                .text("transport", figures.transport().name().toLowerCase(Locale.ROOT))
                .value(IO, "transmit", stream.sent().bytes())
                .value(IO, "receive", stream.received().bytes())
                .value(MESSAGES, "transmit", stream.sent().messages())
                .value(MESSAGES, "receive", stream.received().messages())
                .value(COPIES, "transmit", stream.sent().copies())
                .value(COPIES, "receive", stream.received().copies())
                .value(COPIED, "transmit", stream.sent().copiedBytes())
                .value(COPIED, "receive", stream.received().copiedBytes())
                .value(CREDITS, stream.credits())
                .value(STALLS, stream.stalls().count())
                .value(STALLED, stream.stalls().durationNs());
        return socket.value(BUFFER, "send", buffers.sendBytes())
                .value(BUFFER, "receive", buffers.receiveBytes())
                .value(USED, "send", buffers.unfinishedBytes())
                .value(USED, "receive", buffers.availableBytes())
                .build();
    }

    /**
     * Those of a process, whose parts are its connections; empty if the text has another version.
     *
     * @param text what the process publishes as {@link #KIND}
     */
    public static Optional<Figures> published(long pid, String text) {
        return ProcessFigures.of(text).map(process -> {
            Figures.Builder figures = Figures.of("process").identity("pid", pid).text("command", process.command());
            process.connections().forEach(each -> figures.part(of(each)));
            return figures.build();
        });
    }
}
