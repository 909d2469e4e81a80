package io.verbena.fabric.topology;

import io.verbena.fabric.topology.NodeSection.Lead;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Makes cables of the lines of ports. Most cables are described at both ends, which must agree. */
final class SectionCables {

    private final Map<String, NodeSection> byId;
    private final TopologyWarnings warnings;
    private final Consumer<String> problems;
    private final List<Cable> cables = new ArrayList<>();

    SectionCables(Map<String, NodeSection> byId, TopologyWarnings warnings, Consumer<String> problems) {
        this.byId = byId;
        this.warnings = warnings;
        this.problems = problems;
    }

    List<Cable> of(List<NodeSection> sections) {
        for (NodeSection section : sections) {
            section.leads.forEach((port, lead) -> cable(section, port, lead));
        }
        return cables;
    }

    private void cable(NodeSection section, int port, Lead lead) {
        NodeSection peer = byId.get(lead.peer());
        String what = lead.where() + ": port " + port + " of '" + section.label() + "'";
        if (peer == null) {
            undescribed(what + " leads to '" + lead.peer() + "', which the text does not describe", lead.peer());
            return;
        }
        Lead back = peer.leads.get(lead.peerPort());
        if (back != null && (byId.get(back.peer()) != section || back.peerPort() != port)) {
            problems.accept(what + " leads to port " + lead.peerPort() + " of '" + peer.label() + "', which "
                    + back.where().replace("Line", "line") + " connects to something else");
            return;
        }
        if (back == null || section.index < peer.index || section == peer && port <= lead.peerPort()) {
            LinkRate rate = rate(what, lead.rate(), back == null ? lead.rate() : back.rate());
            cables.add(new Cable(section.index, port, peer.index, lead.peerPort(), rate, lead.lengthMetres()));
        }
    }

    /** With {@code -g}, ibnetdiscover prints no routers of a chassis, and never nodes of a kind that it does not know. */
    private void undescribed(String sentence, String peer) {
        if (peer.matches("[SHR?]-[0-9a-fA-F]{16}")) {
            warnings.add(TopologyWarnings.Kind.UNDESCRIBED_PEER, sentence + "; the cable is left out");
        } else {
            problems.accept(sentence);
        }
    }

    private LinkRate rate(String what, StatedRate here, StatedRate there) {
        LinkRate rate = StatedRate.of(here, there);
        boolean printed = !here.printed().isEmpty() || !there.printed().isEmpty();
        boolean masks = here.enabled().stated() || there.enabled().stated();
        if (!printed && !masks) {
            warnings.add(TopologyWarnings.Kind.NO_RATE, what + " has no rate; " + rate + " is assumed");
        } else if (printed && !here.complete() && !there.complete()) {
            String stated = here.printed().isEmpty() ? there.printed() : here.printed();
            warnings.add(
                    TopologyWarnings.Kind.UNKNOWN_RATE,
                    what + " has the unknown rate " + stated + "; " + rate + " is assumed");
        } else if (here.complete()
                && there.complete()
                && !(here.width().equals(there.width()) && here.speed().equals(there.speed()))) {
            warnings.add(
                    TopologyWarnings.Kind.DIFFERENT_RATES,
                    what + " has the rate " + here.printed() + ", and the other end of its cable " + there.printed()
                            + "; " + rate + " is assumed");
        }
        return rate;
    }
}
