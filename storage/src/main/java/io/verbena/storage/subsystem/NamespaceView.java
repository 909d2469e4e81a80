package io.verbena.storage.subsystem;

import io.verbena.storage.device.BlockDevice;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The namespaces that one host sees, for the data path by number. */
final class NamespaceView {
    private final Subsystem subsystem;
    private final String host;
    private final BlockDevice[] devices = new BlockDevice[Subsystem.MAX_NAMESPACES + 1];
    private final CommandFigures[] figures = new CommandFigures[Subsystem.MAX_NAMESPACES + 1];

    /** For commands of no namespace, which only their queue counts. */
    private final CommandFigures uncounted = new CommandFigures();

    NamespaceView(Subsystem subsystem, String host) {
        this.subsystem = subsystem;
        this.host = host;
        Arrays.fill(devices, NoDevice.INSTANCE);
        Arrays.fill(figures, uncounted);
        subsystem.namespaces().forEach(each -> changed(each.id()));
    }

    /** A namespace was added, replaced or removed. Returns whether the host notices that. */
    boolean changed(int id) {
        BlockDevice before = devices[id];
        Optional<Namespace> namespace = namespace(id);
        devices[id] = namespace.map(Namespace::device).orElse(NoDevice.INSTANCE);
        figures[id] = namespace.isPresent() ? subsystem.figures(id) : uncounted;
        return before != NoDevice.INSTANCE || devices[id] != NoDevice.INSTANCE;
    }

    Optional<Namespace> namespace(int id) {
        return subsystem.namespace(id).filter(each -> each.visibleTo(host));
    }

    List<Namespace> all() {
        return subsystem.namespaces().stream()
                .filter(each -> each.visibleTo(host))
                .toList();
    }

    /** Whether the host may deallocate: every disk that it can write to does that. */
    boolean deallocates() {
        return all().stream().map(Namespace::device).allMatch(each -> each.readOnly() || each.deallocates());
    }

    /** {@link NoDevice} if the host sees no such namespace. */
    BlockDevice device(int id) {
        return id >= 1 && id <= Subsystem.MAX_NAMESPACES ? devices[id] : NoDevice.INSTANCE;
    }

    /** The figures of a namespace; of none if the host sees no such namespace. */
    CommandFigures figures(int id) {
        return id >= 1 && id <= Subsystem.MAX_NAMESPACES ? figures[id] : uncounted;
    }
}
