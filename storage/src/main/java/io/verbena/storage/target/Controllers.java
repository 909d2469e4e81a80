package io.verbena.storage.target;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The controllers of a target, by number. */
final class Controllers {
    private final int most;
    private final TreeMap<Integer, Controller> byId = new TreeMap<>();
    private int lastId;

    Controllers(int most) {
        this.most = most;
    }

    /** A copy: ending a controller may remove it. */
    Collection<Controller> all() {
        return List.copyOf(byId.values());
    }

    Optional<Controller> find(int id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** A new controller with a number that has not been used for as long as possible; empty if there are too many. */
    Optional<Controller> create(Subsystem subsystem, HostIdentity host, boolean discovery) {
        if (byId.size() >= most) {
            return Optional.empty();
        }
        do {
            lastId = lastId % 0xffef + 1;
        } while (byId.containsKey(lastId));
        Controller controller = new Controller(lastId, subsystem, host, discovery);
        byId.put(lastId, controller);
        return Optional.of(controller);
    }

    /** The older associations of a host with a subsystem. */
    List<Controller> of(Subsystem subsystem, HostIdentity host) {
        List<Controller> found = new ArrayList<>();
        for (Controller each : byId.values()) {
            if (each.subsystem() == subsystem && each.host().equals(host)) {
                found.add(each);
            }
        }
        return found;
    }

    void removeDrained() {
        byId.values().forEach(Controller::forgetLostQueues);
        byId.values().removeIf(Controller::drained);
    }
}
