package io.verbena.web;

import io.verbena.text.JsonText;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/** A network as JSON, on one line. */
final class NetworkJson {

    private NetworkJson() {}

    static String text(NetworkPlan plan) {
        StringBuilder out = new StringBuilder("{\"name\":");
        JsonText.quote(out, plan.name());
        out.append(",\"lanes\":").append(plan.lanes()).append(",\"timed\":").append(plan.timed());
        list(out.append(",\"nodes\":"), plan.nodes(), (to, node) -> {
            JsonText.quote(to.append("{\"name\":"), node.name());
            to.append(",\"switch\":").append(node.forwards());
            to.append(String.format(Locale.ROOT, ",\"x\":%.1f,\"y\":%.1f}", node.x(), node.y()));
        });
        list(out.append(",\"links\":"), plan.links(), (to, link) -> {
            to.append("{\"from\":").append(link.from().node());
            to.append(",\"fromPort\":").append(link.from().port());
            to.append(",\"to\":").append(link.to().node());
            to.append(",\"toPort\":").append(link.to().port());
            to.append(String.format(Locale.ROOT, ",\"bend\":%.1f}", link.bend()));
        });
        return out.append('}').toString();
    }

    /** A state with its number. */
    static String text(long number, NetworkState state) {
        NetworkState.Clock clock = state.clock();
        StringBuilder out = new StringBuilder("{\"number\":").append(number);
        out.append(",\"nowNs\":").append(clock.nowNs());
        out.append(",\"reachedNs\":").append(clock.reachedNs());
        JsonText.quote(out.append(",\"pace\":"), clock.pace().name().toLowerCase(Locale.ROOT));
        out.append(",\"speed\":").append(clock.speed());
        JsonText.quote(out.append(",\"trace\":"), clock.trace());
        list(out.append(",\"nodesDown\":"), state.nodesDown(), StringBuilder::append);
        list(out.append(",\"linksDown\":"), state.linksDown(), StringBuilder::append);
        list(out.append(",\"loads\":"), state.loads(), NetworkJson::bytes);
        list(out.append(",\"events\":"), state.events(), (to, event) -> {
            to.append("{\"timeNs\":").append(event.timeNs());
            JsonText.quote(to.append(",\"sentence\":"), event.sentence());
            to.append('}');
        });
        list(out.append(",\"facts\":"), state.facts(), (to, fact) -> {
            JsonText.quote(to.append("{\"name\":"), fact.name());
            JsonText.quote(to.append(",\"value\":"), fact.value());
            to.append('}');
        });
        return out.append('}').toString();
    }

    static String text(NetworkNode node) {
        StringBuilder out = new StringBuilder("{\"number\":").append(node.number());
        list(out.append(",\"ports\":"), node.ports(), (to, port) -> {
            to.append("{\"port\":").append(port.port());
            to.append(",\"link\":").append(port.link());
            to.append(",\"frames\":").append(port.frames());
            list(to.append(",\"lanes\":"), port.lanes(), (in, lane) -> {
                in.append("{\"held\":").append(lane.held());
                in.append(",\"buffer\":").append(lane.buffer());
                in.append(",\"credits\":").append(lane.credits());
                in.append(",\"waiting\":").append(lane.waiting()).append('}');
            });
            to.append('}');
        });
        return out.append('}').toString();
    }

    private static void bytes(StringBuilder out, byte... values) {
        char separator = '[';
        for (byte value : values) {
            out.append(separator).append(value);
            separator = ',';
        }
        out.append(values.length == 0 ? "[]" : "]");
    }

    private static <T> void list(StringBuilder out, List<T> all, BiConsumer<StringBuilder, T> write) {
        out.append('[');
        for (int i = 0; i < all.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            write.accept(out, all.get(i));
        }
        out.append(']');
    }
}
