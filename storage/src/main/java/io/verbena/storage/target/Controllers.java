package io.verbena.storage.target;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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

    /** A new controller with a number that has not been used for as long as possible; empty if there are too many. */
    Optional<Controller> create(Subsystem subsystem, HostIdentity host, boolean discovery) {
        if (full()) {
            return Optional.empty();
        }
        do {
            lastId = lastId % 0xffef + 1;
        } while (find(lastId).isPresent());
        Controller controller = new Controller(lastId, subsystem, host, discovery);
        controllers.add(controller);
        return Optional.of(controller);
    }

    /** The older associations of a host with a subsystem. */
    List<Controller> of(Subsystem subsystem, HostIdentity host) {
        List<Controller> found = new ArrayList<>();
        for (Controller each : controllers) {
            if (each.subsystem() == subsystem && each.host().equals(host)) {
                found.add(each);
            }
        }
        return found;
    }

    void removeDrained() {
        controllers.forEach(Controller::forgetLostQueues);
        controllers.removeIf(Controller::drained);
    }
}
