package io.verbena.storage.subsystem;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The controllers of a target. */
final class Controllers {
    private final int most;
    private final List<Controller> controllers = new ArrayList<>();
    private int lastId;

    Controllers(int most) {
        this.most = most;
    }

    /** A copy: ending a controller may remove it. */
    Collection<Controller> all() {
        return List.copyOf(controllers);
    }

    /** Whether a host has been silent for too long. The driver asks often, so that this makes no iterator. */
    boolean anyExpired(long nowNs) {
        for (int i = 0; i < controllers.size(); i++) {
            if (controllers.get(i).expired(nowNs)) {
                return true;
            }
        }
        return false;
    }

    Optional<Controller> find(int id) {
        return controllers.stream().filter(each -> each.id() == id).findFirst();
    }

    /** Whether there are as many as there may be. */
    boolean full() {
        return controllers.size() >= most;
    }

    int size() {
        return controllers.size();
    }

    /**
     * Ends the controller that gives way to a host of a network, if there is one. A controller that a host
     * does not use and for which it sends no keep-alive gives way to every host. Otherwise the network that has most gives way to one that
     * has fewer. Of several, those without an I/O queue come first, then those that are unused for longer.
     */
    void makePlaceFor(String network, long nowNs) {
        Map<String, Integer> shares = new HashMap<>();
        for (Controller each : controllers) {
            if (each.state() != ControllerState.ENDED) {
                shares.merge(each.network(), 1, Integer::sum);
            }
        }
        int most = shares.values().stream().mapToInt(share -> share).max().orElse(0);
        boolean fewer = shares.getOrDefault(network, 0) < most;
        controllers.stream()
                .filter(each -> each.state() != ControllerState.ENDED)
                .filter(each -> each.abandoned(nowNs) || fewer && shares.getOrDefault(each.network(), 0) == most)
                .min(Comparator.comparing((Controller each) -> !each.abandoned(nowNs))
                        .thenComparing(each -> each.queues().size() > 1)
                        .thenComparing(each -> -each.unusedNs(nowNs)))
                .ifPresent(Controller::end);
    }

    /** How many have ended while their work has not. */
    int ending() {
        return (int) controllers.stream()
                .filter(each -> each.state() == ControllerState.ENDED)
                .count();
    }

    /** A new controller with a number that has not been used for as long as possible; empty if there are too many. */
    Optional<Controller> create(Subsystem subsystem, HostIdentity host, HostPath path, boolean discovery) {
        if (full()) {
            return Optional.empty();
        }
        do {
            lastId = lastId % 0xffef + 1;
        } while (find(lastId).isPresent());
        Controller controller = new Controller(lastId, subsystem, host, path, discovery);
        controllers.add(controller);
        return Optional.of(controller);
    }

    /** The older associations of a host with a subsystem, on all paths. */
    List<Controller> of(Subsystem subsystem, HostIdentity host) {
        return controllers.stream()
                .filter(each -> each.subsystem() == subsystem && each.host().equals(host))
                .toList();
    }

    void removeDrained() {
        controllers.forEach(Controller::forgetLostQueues);
        controllers.removeIf(Controller::drained);
    }
}
