package io.verbena.storage.subsystem;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.RejectReason;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The target: subsystems, controllers, and the queues of hosts. One thread at a time owns it. Everything that a host can make it hold is
 * bounded by {@link TargetLimits}.
 */
public final class StorageTarget {
    /** The name of the discovery subsystem. */
    public static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

    /** A host connects its queue within this time, or the connection ends. */
    static final long CONNECT_WITHIN_NS = 10_000_000_000L;

    private final TargetLimits limits;
    private final TreeMap<String, Subsystem> subsystems = new TreeMap<>();
    private final Subsystem discovery = new Subsystem(DISCOVERY, "discovery", Set.of());
    private final Controllers controllers;
    private final Connections connections;
    private final NewQueues newQueues;
    private int openQueues;
    private long queueMemoryBytes;
    private CapsuleDrops drops = CapsuleDrops.NONE;
    private long generation = 1;
    private long nowNs;

    /** A target without subsystems. */
    public StorageTarget(TargetLimits limits) {
        this.limits = limits;
        this.controllers = new Controllers(limits.controllers());
        this.connections = new Connections(this);
        // An admin queue that waits for its predecessor needs a place too.
        this.newQueues = new NewQueues(2 * limits.controllers(), connections::waits);
    }

    /** What hosts can make this target hold. */
    public TargetLimits limits() {
        return limits;
    }

    /** The time of the latest input. */
    long nowNs() {
        return nowNs;
    }

    void at(long nowNs) {
        this.nowNs = nowNs;
    }

    Connections connections() {
        return connections;
    }

    Controllers controllers() {
        return controllers;
    }

    long generation() {
        return generation;
    }

    Optional<Subsystem> subsystem(String name) {
        return name.equals(DISCOVERY) ? Optional.of(discovery) : Optional.ofNullable(subsystems.get(name));
    }

    /** Whether this subsystem, and not only its name, is part of the target. */
    boolean has(Subsystem subsystem) {
        return subsystem == discovery || subsystems.get(subsystem.name()) == subsystem;
    }

    /** The subsystems, by name, without the discovery subsystem. */
    public Collection<Subsystem> subsystems() {
        return subsystems.values();
    }

    // ---- Changes while hosts are connected

    /** Adds a subsystem. */
    public void add(Subsystem subsystem) {
        if (subsystem(subsystem.name()).isPresent()) {
            throw new IllegalArgumentException("There is a subsystem " + subsystem.name() + "; choose another name.");
        }
        subsystems.put(subsystem.name(), subsystem);
        discoveryChanged();
    }

    /** Removes a subsystem and ends its associations. */
    public void remove(Subsystem subsystem) {
        subsystems.remove(subsystem.name());
        for (Controller controller : controllers.all()) {
            if (controller.subsystem() == subsystem) {
                controller.end();
            }
        }
        settle();
        discoveryChanged();
    }

    private void discoveryChanged() {
        generation++;
        for (Controller controller : controllers.all()) {
            if (controller.discovery()) {
                controller.discoveryChanged();
            }
        }
    }

    /** Adds a namespace, or replaces the one with this number by one of another size. Hosts are notified. */
    public void put(Subsystem subsystem, Namespace namespace) {
        subsystem.put(namespace);
        namespaceChanged(subsystem, namespace.id());
    }

    /** Removes a namespace. Hosts are notified. Its device is in use until {@link #uses} returns false. */
    public void remove(Subsystem subsystem, int namespaceId) {
        subsystem.remove(namespaceId);
        namespaceChanged(subsystem, namespaceId);
    }

    private void namespaceChanged(Subsystem subsystem, int namespaceId) {
        for (Controller controller : controllers.all()) {
            if (controller.subsystem() == subsystem) {
                controller.namespaceChanged(namespaceId);
            }
        }
    }

    /** Whether a subsystem has the device, or a command uses it. */
    public boolean uses(BlockDevice device) {
        for (Subsystem subsystem : subsystems.values()) {
            for (Namespace namespace : subsystem.namespaces()) {
                if (namespace.device() == device) {
                    return true;
                }
            }
        }
        return controllers.all().stream()
                .anyMatch(each -> each.queues().stream().anyMatch(q -> q.uses(device)));
    }

    /** What hosts do. */
    public TargetFigures figures() {
        List<TargetFigures.OfNamespace> namespaces = new ArrayList<>();
        for (Subsystem subsystem : subsystems.values()) {
            for (Namespace namespace : subsystem.namespaces()) {
                CommandCounts counts = subsystem.figures(namespace.id()).counts();
                namespaces.add(new TargetFigures.OfNamespace(subsystem.name(), namespace, counts));
            }
        }
        List<TargetFigures.OfQueue> queues = controllers.all().stream()
                .flatMap(each -> each.queues().stream())
                .flatMap(each -> each.figures().stream())
                .toList();
        return new TargetFigures(namespaces, queues, queueMemoryBytes, drops);
    }

    // ---- Queues

    /** Number of queues whose connection has not ended. */
    public int openQueues() {
        return openQueues;
    }

    /** Why a connection with these private data must be rejected; empty if it can be accepted. */
    public Optional<RejectReason> check(byte[] privateData, String from) {
        if (!CmRequest.fits(privateData.length)) {
            return Optional.of(RejectReason.PRIVATE_DATA_LENGTH);
        }
        CmRequest request = new CmRequest().wrap(MemorySegment.ofArray(privateData), 0);
        int most = request.queueId() == 0 ? TargetLimits.ADMIN_ENTRIES : limits.queueEntries();
        if (request.recordFormat() != 0) {
            return Optional.of(RejectReason.RECORD_FORMAT);
        }
        if (request.queueId() > limits.ioQueues()) {
            return Optional.of(RejectReason.QUEUE_ID);
        }
        if (request.sendQueueSizeMinusOne() < 1 || request.sendQueueSizeMinusOne() >= most) {
            return Optional.of(RejectReason.SEND_QUEUE_SIZE);
        }
        if (request.receiveQueueSize() < 1) {
            return Optional.of(RejectReason.RECEIVE_QUEUE_SIZE);
        }
        int mostQueues = limits.controllers() * (limits.ioQueues() + 1);
        int slots = request.sendQueueSizeMinusOne() + 1;
        boolean full = limits.queueBytes(request.queueId(), slots) > limits.memoryBytes() - queueMemoryBytes
                || openQueues >= mostQueues
                || !newQueues.hasPlaceFor(from);
        return full ? Optional.of(RejectReason.NO_RESOURCES) : Optional.empty();
    }

    /** Opens a queue whose private data {@link #check} accepted. */
    public TargetQueue open(int queueId, QueueMemory memory, QueueOutput output, HostPath path, long nowNs) {
        return open(queueId, memory.slots(), memory, output, path, nowNs);
    }

    /**
     * The same, with memory for the Connect only; see {@link QueueOutput#grow}.
     *
     * @param slots entries that the host asked for
     */
    public TargetQueue open(int queueId, int slots, QueueMemory memory, QueueOutput output, HostPath path, long nowNs) {
        TargetQueue queue = new TargetQueue(this, queueId, slots, memory, output, path);
        newQueues.add(queue, path.from(), nowNs);
        openQueues++;
        took(memory);
        return queue;
    }

    /** Whether the memory of a queue may grow to that of all its commands. */
    boolean hasMemoryFor(TargetQueue queue, QueueMemory first) {
        long more = limits.queueBytes(queue.id(), queue.slots()) - first.bytes();
        return more <= limits.memoryBytes() - queueMemoryBytes - (queue.id() > 1 ? reservedBytes() : 0);
    }

    /** Memory with which hosts that have not connected yet get an I/O queue each: others do not get their second one from it. */
    private long reservedBytes() {
        long host = limits.queueBytes(0, TargetLimits.ADMIN_ENTRIES) + limits.queueBytes(1, limits.queueEntries());
        long hosts = Math.max(0, limits.controllers() - controllers.size());
        return host > limits.memoryBytes() / 2 / Math.max(1, hosts) ? limits.memoryBytes() / 2 : host * hosts;
    }

    void took(QueueMemory memory) {
        queueMemoryBytes += memory.bytes();
    }

    /** I/O queues for another host: as many as there is memory for, and at least one. */
    int grantedQueues() {
        long free = limits.memoryBytes() - queueMemoryBytes - reservedBytes();
        return (int) Math.clamp(free / limits.queueBytes(1, limits.queueEntries()), 1, limits.ioQueues());
    }

    /** Nothing uses the memory of a queue any more. */
    void freed(QueueMemory memory) {
        queueMemoryBytes -= memory.bytes();
    }

    void joined(TargetQueue queue) {
        newQueues.remove(queue);
    }

    /** A capsule arrived while its connection was ending. */
    void droppedWhileClosing() {
        drops = drops.oneClosing();
    }

    /** A capsule that nothing can answer ends the association. */
    void droppedTooShort(TargetQueue queue) {
        drops = drops.oneTooShort();
        queue.close();
        queue.controller().ifPresent(Controller::end);
        settle();
    }

    void lost(TargetQueue queue) {
        openQueues--;
        joined(queue);
        connections.forget(queue);
        // An I/O queue can be lost alone; without its admin queue a controller cannot be.
        if (queue.id() == 0) {
            queue.controller().ifPresent(Controller::end);
        }
        settle();
    }

    /** Removes controllers without work, and answers the Connects that waited for them. */
    void settle() {
        controllers.removeDrained();
        connections.resume();
    }

    // ---- Time

    /** When {@link #onDeadline} must be called next. */
    public OptionalLong nextDeadlineNs(long nowNs) {
        long nearest = newQueues.remainingNs(CONNECT_WITHIN_NS, nowNs);
        for (Controller controller : controllers.all()) {
            nearest = Math.min(nearest, controller.remainingNs(nowNs));
        }
        return nearest == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(nowNs + nearest);
    }

    /** Ends the associations of silent hosts, and connections that never became a queue. */
    public void onDeadline(long nowNs) {
        at(nowNs);
        if (!controllers.anyExpired(nowNs) && newQueues.isEmpty()) {
            return;
        }
        for (Controller controller : controllers.all()) {
            if (controller.expired(nowNs)) {
                controller.end();
            }
        }
        newQueues.expire(CONNECT_WITHIN_NS, nowNs);
        connections.expire(nowNs);
        settle();
    }
}
