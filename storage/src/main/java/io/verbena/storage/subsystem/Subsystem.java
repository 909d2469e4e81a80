package io.verbena.storage.subsystem;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Namespaces under one name, and the hosts that may use them. {@link StorageTarget} changes it. */
public final class Subsystem {
    /** Largest number of a namespace. */
    public static final int MAX_NAMESPACES = 256;

    private final String name;
    private final String serialNumber;
    private final Set<String> hosts;
    private final TreeMap<Integer, Namespace> namespaces = new TreeMap<>();
    private final TreeMap<Integer, CommandFigures> figures = new TreeMap<>();
    private final boolean writeCache;

    /**
     * A subsystem without namespaces.
     *
     * @param name its NQN
     * @param serialNumber up to 20 characters, the same after a restart
     * @param hosts NQNs of the hosts that may connect; empty: all
     */
    public Subsystem(String name, String serialNumber, Set<String> hosts) {
        this(name, serialNumber, hosts, true);
    }

    /**
     * The same with a choice of when Writes are durable.
     *
     * @param writeCache whether hosts must flush; otherwise every Write is durable when it completes, and hosts send no Flush
     */
    public Subsystem(String name, String serialNumber, Set<String> hosts, boolean writeCache) {
        if (name.isEmpty() || name.length() > 223) {
            throw new IllegalArgumentException(
                    "The name of a subsystem has 1 to 223 characters, not " + name.length() + ".");
        }
        this.name = name;
        this.serialNumber = serialNumber;
        this.hosts = Set.copyOf(hosts);
        this.writeCache = writeCache;
    }

    /** Its NQN. */
    public String name() {
        return name;
    }

    /** Its serial number. */
    public String serialNumber() {
        return serialNumber;
    }

    /** Whether a Write may complete before its data are durable. */
    public boolean writeCache() {
        return writeCache;
    }

    /** NQNs of the hosts that may connect; empty: all. */
    public Set<String> hosts() {
        return hosts;
    }

    /** Its namespaces, by number. */
    public Collection<Namespace> namespaces() {
        return namespaces.values();
    }

    boolean allows(String host) {
        return hosts.isEmpty() || hosts.contains(host);
    }

    Optional<Namespace> namespace(int id) {
        return Optional.ofNullable(namespaces.get(id));
    }

    /** What hosts have done with a namespace since it was added. */
    CommandFigures figures(int id) {
        return figures.computeIfAbsent(id, _ -> new CommandFigures());
    }

    void put(Namespace namespace) {
        namespaces.put(namespace.id(), namespace);
    }

    void remove(int id) {
        namespaces.remove(id);
        figures.remove(id);
    }
}
