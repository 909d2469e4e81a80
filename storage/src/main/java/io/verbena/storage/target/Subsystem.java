package io.verbena.storage.target;

import io.verbena.storage.device.BlockDevice;
import java.util.Arrays;
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
    private final BlockDevice[] devices = new BlockDevice[MAX_NAMESPACES + 1];

    /**
     * A subsystem without namespaces.
     *
     * @param name its NQN
     * @param serialNumber up to 20 characters, the same after a restart
     * @param hosts NQNs of the hosts that may connect; empty: all
     */
    public Subsystem(String name, String serialNumber, Set<String> hosts) {
        if (name.isEmpty() || name.length() > 223) {
            throw new IllegalArgumentException(
                    "The name of a subsystem has 1 to 223 characters, not " + name.length() + ".");
        }
        this.name = name;
        this.serialNumber = serialNumber;
        this.hosts = Set.copyOf(hosts);
        Arrays.fill(devices, NoDevice.INSTANCE);
    }

    /** Its NQN. */
    public String name() {
        return name;
    }

    /** Its serial number. */
    public String serialNumber() {
        return serialNumber;
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

    /** For the data path: {@link NoDevice} if there is no such namespace. */
    BlockDevice device(int id) {
        return id >= 1 && id <= MAX_NAMESPACES ? devices[id] : NoDevice.INSTANCE;
    }

    void put(Namespace namespace) {
        namespaces.put(namespace.id(), namespace);
        devices[namespace.id()] = namespace.device();
    }

    void remove(int id) {
        namespaces.remove(id);
        devices[id] = NoDevice.INSTANCE;
    }
}
