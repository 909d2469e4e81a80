package io.verbena.tools.disk;

import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetFigures;
import io.verbena.tools.base.Failure;
import io.verbena.tools.disk.DiskRequest.Add;
import io.verbena.tools.disk.DiskRequest.Remove;
import io.verbena.tools.disk.DiskRequest.Resize;
import io.verbena.tools.disk.DiskRequest.SubsystemPlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** The disks of a target, which can change while hosts are connected. */
public final class ServedDisks implements AutoCloseable {
    /** A command that uses a disk ends within this time, unless its medium hangs. */
    private static final int MOST_LOOKS = 1000;

    private static final long LOOK_NS = 2_000_000;

    private final StorageTarget target;
    private final SortedMap<String, Shelf> shelves = new TreeMap<>();
    private final List<OpenDisk> removed = new ArrayList<>();
    private Optional<DiskServer> server = Optional.empty();

    private record Shelf(Subsystem subsystem, SortedMap<Integer, OpenDisk> disks) {}

    /**
     * A disk that is served.
     *
     * @param nqn its subsystem
     * @param namespace its number there
     * @param uuid its name
     */
    public record Served(String nqn, int namespace, UUID uuid) {}

    /** Disks of a target that is not served yet. */
    public ServedDisks(StorageTarget target) {
        this.target = target;
    }

    /** From now on the target belongs to the thread of a server. */
    public synchronized void servedBy(DiskServer started) {
        server = Optional.of(started);
    }

    private <T> T inTarget(Supplier<T> action) {
        return server.isPresent() ? server.get().call(action) : action.get();
    }

    private void changeTarget(Runnable action) {
        inTarget(() -> {
            action.run();
            return true;
        });
    }

    /** What hosts do. */
    public synchronized TargetFigures figures() {
        return inTarget(target::figures);
    }

    /** The file of a disk, as it was given. */
    public synchronized String file(String nqn, int namespace) {
        return Optional.ofNullable(shelves.get(nqn))
                .flatMap(shelf -> Optional.ofNullable(shelf.disks.get(namespace)))
                .map(disk -> disk.plan().spec().text())
                .orElse("");
    }

    /** Opens a disk and serves it. */
    public synchronized Served add(Add request) throws IOException, Failure {
        return add(request, allocated -> {});
    }

    /** The same; {@code allocated} receives how many bytes of a disk in memory are there. */
    synchronized Served add(Add request, LongConsumer allocated) throws IOException, Failure {
        SubsystemPlan plan = request.subsystem();
        DiskSpec spec = request.disk().spec();
        OpenDisk.check(spec, request.disk().readOnly());
        DiskIdentity identity = DiskIdentity.of(spec);
        String nqn = plan.nqn().isEmpty() ? freeName(identity, spec) : plan.nqn();
        Optional<Shelf> existing = Optional.ofNullable(shelves.get(nqn));
        if (existing.isPresent()
                && (!existing.get().subsystem.hosts().equals(plan.hosts())
                        || existing.get().subsystem.writeCache() != plan.writeCache())) {
            throw new Failure("There is a subsystem " + nqn + " with other options: repeat its --allow and"
                    + " --no-write-cache to add a disk to it, or choose another --nqn");
        }
        Shelf shelf = existing.orElseGet(() -> new Shelf(
                new Subsystem(nqn, serial(identity, spec, nqn), plan.hosts(), plan.writeCache()), new TreeMap<>()));
        int id = freeNumber(shelf);
        OpenDisk disk = OpenDisk.open(request.disk(), allocated);
        UUID uuid = request.uuid().orElse(identity.uuid(spec, nqn, id));
        Namespace namespace = namespace(request, uuid, id, disk);
        changeTarget(() -> {
            if (existing.isEmpty()) {
                target.add(shelf.subsystem);
            }
            target.put(shelf.subsystem, namespace);
        });
        shelves.put(nqn, shelf);
        shelf.disks.put(id, disk);
        return new Served(nqn, id, namespace.uuid());
    }

    /** A disk for which no name is given does not become a part of a subsystem whose file happens to have the same name. */
    private String freeName(DiskIdentity identity, DiskSpec spec) throws IOException {
        if (!shelves.containsKey(identity.nqn())) {
            return identity.nqn();
        }
        String distinct = identity.distinct(identity.nqn());
        identity.keep(distinct, spec);
        return distinct;
    }

    private static String serial(DiskIdentity identity, DiskSpec spec, String nqn) {
        return new DiskIdentity(nqn, identity.uuid(spec, nqn, 1)).serial();
    }

    private Namespace namespace(Add request, UUID uuid, int id, OpenDisk disk) throws Failure {
        try {
            for (Shelf shelf : shelves.values()) {
                for (Namespace other : shelf.subsystem.namespaces()) {
                    if (other.uuid().equals(uuid)) {
                        throw new Failure("The disk " + other.id() + " of " + shelf.subsystem.name() + " has the UUID "
                                + uuid + " already: hosts would confuse the two; choose another --uuid");
                    }
                }
            }
            return new Namespace(id, disk.device(), uuid, request.visibleTo());
        } catch (Failure | RuntimeException e) {
            disk.close();
            throw e;
        }
    }

    private static int freeNumber(Shelf shelf) throws Failure {
        for (int id = 1; id <= Subsystem.MAX_NAMESPACES; id++) {
            if (!shelf.disks.containsKey(id)) {
                return id;
            }
        }
        throw new Failure("The subsystem " + shelf.subsystem.name() + " has " + Subsystem.MAX_NAMESPACES
                + " disks, which is the maximum: choose another --nqn");
    }

    /** Removes disks. Commands that use them end first. */
    public synchronized void remove(Remove request) throws Failure {
        Shelf shelf = shelf(request.nqn());
        if (request.namespace() == 0) {
            changeTarget(() -> target.remove(shelf.subsystem));
            shelves.remove(request.nqn());
            shelf.disks.values().forEach(this::retire);
        } else {
            OpenDisk disk = disk(shelf, request.namespace());
            changeTarget(() -> target.remove(shelf.subsystem, request.namespace()));
            shelf.disks.remove(request.namespace());
            retire(disk);
        }
    }

    /** Makes a disk larger. Hosts are notified. */
    public synchronized void resize(Resize request) throws IOException, Failure {
        Shelf shelf = shelf(request.nqn());
        OpenDisk old = disk(shelf, request.namespace());
        Namespace before = shelf.subsystem.namespaces().stream()
                .filter(each -> each.id() == request.namespace())
                .findFirst()
                .orElseThrow();
        OpenDisk larger = old.enlarged(request.sizeBytes());
        Namespace after = new Namespace(before.id(), larger.device(), before.uuid(), before.hosts());
        changeTarget(() -> target.put(shelf.subsystem, after));
        shelf.disks.put(request.namespace(), larger);
        retire(old);
    }

    /** Closes a disk that no new command can use. One whose medium hangs is closed at the end. */
    private void retire(OpenDisk disk) {
        for (int i = 0; i < MOST_LOOKS; i++) {
            if (!inTarget(() -> target.uses(disk.device()))) {
                disk.close();
                return;
            }
            LockSupport.parkNanos(LOOK_NS);
        }
        removed.add(disk);
    }

    private Shelf shelf(String nqn) throws Failure {
        return Optional.ofNullable(shelves.get(nqn))
                .orElseThrow(() -> new Failure(
                        "There is no subsystem '" + nqn + "': this server has " + String.join(", ", shelves.keySet())));
    }

    private static OpenDisk disk(Shelf shelf, int namespace) throws Failure {
        return Optional.ofNullable(shelf.disks.get(namespace))
                .orElseThrow(() -> new Failure("The subsystem " + shelf.subsystem.name() + " has no disk " + namespace
                        + ", but " + shelf.disks.keySet()));
    }

    /** Closes all disks. The server must be closed. */
    @Override
    public synchronized void close() {
        shelves.values().forEach(shelf -> shelf.disks.values().forEach(OpenDisk::close));
        shelves.clear();
        removed.forEach(OpenDisk::close);
        removed.clear();
    }
}
