package io.verbena.verbs;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Opens RNICs of one kind. Found through {@link ServiceLoader}. */
public interface RnicProvider {

    /** Short name by which the provider is selected, such as {@code iwarp}. */
    String name();

    /** Description in one sentence, for people. */
    String description();

    /** Priority; the available provider with the highest priority is the default unless {@link #DEFAULT_PROPERTY} is set. */
    int priority();

    /** Names of devices for {@link RnicOptions#device()}. */
    default List<String> devices() {
        return List.of();
    }

    /** Name of the device with a local address, for {@link RnicOptions#device()}; empty if the default has it. */
    default String deviceAt(InetAddress local) {
        return "";
    }

    /**
     * Name of the device that reaches a peer, for {@link RnicOptions#device()}; empty if the default does. Does not contact
     * the peer.
     */
    default String deviceTowards(InetAddress peer) {
        return "";
    }

    /** Maximum number of engines of an RNIC, for {@link RnicOptions#engines()}. */
    default int maxEngines() {
        return RnicOptions.MOST_ENGINES;
    }

    /**
     * Empty if the provider can be used on this machine; otherwise one sentence that states the reason and what to do.
     */
    String obstacle();

    /** What this process shares with others on this host without an RNIC; empty if RNICs of this provider share no memory on this machine. */
    default Optional<HostSharing> hostSharing() {
        return Optional.empty();
    }

    /** Attributes and limits of an RNIC that {@link #open} would return for these options. Does not open it. */
    RnicAttributes describe(RnicOptions options);

    /**
     * Opens an RNIC.
     *
     * @throws VerbsException if {@link #obstacle()} is not empty or an option is out of range
     */
    Rnic open(RnicOptions options);

    /** All providers on the class path or module path, in descending order of priority. */
    static List<RnicProvider> all() {
        List<RnicProvider> found = new ArrayList<>();
        try {
            ServiceLoader.load(RnicProvider.class, RnicProvider.class.getClassLoader())
                    .forEach(found::add);
        } catch (ServiceConfigurationError e) {
            throw new VerbsException("An RNIC provider cannot be loaded: " + e.getMessage(), e);
        }
        found.sort((a, b) -> Integer.compare(b.priority(), a.priority()));
        return found;
    }

    /**
     * System property with the name of the default provider; without it, the best available one is the default. The form
     * {@code NAME:DEVICE} names a device too, as it does in {@link RnicOptions#provider()}.
     */
    String DEFAULT_PROPERTY = "io.verbena.provider";

    /** System property with the device of the default provider that {@link #DEFAULT_PROPERTY} names, for programs that name no device. */
    String DEFAULT_DEVICE_PROPERTY = "io.verbena.device";

    /**
     * The options with provider and device apart, and with the default device. Without a device in the options, that of
     * {@link #DEFAULT_DEVICE_PROPERTY} or {@link #DEFAULT_PROPERTY} is used if the provider is the one of
     * {@link #DEFAULT_PROPERTY}: another provider has other devices.
     */
    static RnicOptions withDefaultDevice(RnicOptions options) {
        RnicOptions apart = options.provider().indexOf(':') < 0
                ? options
                : options.withProvider(nameOf(options.provider()))
                        .withDevice(options.device().isEmpty() ? deviceOf(options.provider()) : options.device());
        String standard = System.getProperty(DEFAULT_PROPERTY, "");
        String provider = nameOf(standard);
        boolean ofDefault = apart.provider().isEmpty() || apart.provider().equals(provider);
        if (!apart.device().isEmpty() || provider.isEmpty() || !ofDefault) {
            return apart;
        }
        String device = System.getProperty(DEFAULT_DEVICE_PROPERTY, "");
        return apart.withDevice(device.isEmpty() ? deviceOf(standard) : device);
    }

    private static String nameOf(String provider) {
        int colon = provider.indexOf(':');
        return colon < 0 ? provider : provider.substring(0, colon);
    }

    private static String deviceOf(String provider) {
        int colon = provider.indexOf(':');
        return colon < 0 ? "" : provider.substring(colon + 1);
    }

    /**
     * The provider with this name, which may be followed by a colon and a device. The empty name selects the default.
     *
     * @throws VerbsException if there is none
     */
    static RnicProvider named(String name) {
        String wanted = nameOf(name.isEmpty() ? System.getProperty(DEFAULT_PROPERTY, "") : name);
        List<RnicProvider> all = all();
        for (RnicProvider provider : all) {
            if (wanted.isEmpty()
                    ? provider.obstacle().isEmpty()
                    : provider.name().equals(wanted)) {
                return provider;
            }
        }
        List<String> names = all.stream().map(RnicProvider::name).toList();
        throw new VerbsException("No RNIC provider "
                + (wanted.isEmpty() ? "can be used on this machine" : "is named '" + wanted + "'")
                + "; available: " + names + ".");
    }
}
