package io.verbena.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** A kind of RNIC, found through {@link ServiceLoader}. */
public interface RnicProvider {

    /** Short name by which users choose it, such as {@code iwarp}. */
    String name();

    /** One sentence for people. */
    String description();

    /** Which of several providers is the default: the highest that is available. */
    int priority();

    /** Devices that {@link RnicOptions#device()} can name. */
    default List<String> devices() {
        return List.of();
    }

    /** Empty when the provider can be used on this machine, else one sentence that says why not and what to do. */
    String obstacle();

    /** Limits of an RNIC that this provider would open with these options, without opening one. */
    RnicAttributes describe(RnicOptions options);

    /**
     * Opens an RNIC.
     *
     * @throws VerbsException when {@link #obstacle()} is not empty or an option is out of range
     */
    Rnic open(RnicOptions options);

    /** All providers on the class or module path, those of higher priority first. */
    static List<RnicProvider> all() {
        List<RnicProvider> found = new ArrayList<>();
        try {
            ServiceLoader.load(RnicProvider.class, RnicProvider.class.getClassLoader())
                    .forEach(found::add);
        } catch (ServiceConfigurationError e) {
            throw new VerbsException("A provider of RNICs cannot be loaded: " + e.getMessage(), e);
        }
        found.sort((a, b) -> Integer.compare(b.priority(), a.priority()));
        return found;
    }

    /**
     * The provider of a name; the empty name means the best available one.
     *
     * @throws VerbsException when there is none
     */
    static RnicProvider named(String name) {
        List<RnicProvider> all = all();
        for (RnicProvider provider : all) {
            if (name.isEmpty() ? provider.obstacle().isEmpty() : provider.name().equals(name)) {
                return provider;
            }
        }
        List<String> names = all.stream().map(RnicProvider::name).toList();
        throw new VerbsException("No RNIC provider "
                + (name.isEmpty() ? "can be used on this machine" : "is called '" + name + "'")
                + "; known are " + names + ".");
    }
}
