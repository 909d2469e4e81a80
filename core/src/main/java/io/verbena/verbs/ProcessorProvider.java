package io.verbena.verbs;

import java.util.ServiceLoader;

/** Creates handler processors. Found through {@link ServiceLoader}. */
public interface ProcessorProvider {

    /** See {@link HandlerProcessor#open}. */
    HandlerProcessor open(ProcessorOptions options);

    /** See {@link HandlerLoop#open}. */
    HandlerLoop openLoop(ProcessorPolicy policy);

    /**
     * The first provider found.
     *
     * @throws VerbsException if there is none
     */
    static ProcessorProvider first() {
        return ServiceLoader.load(ProcessorProvider.class, ProcessorProvider.class.getClassLoader())
                .findFirst()
                .orElseThrow(() ->
                        new VerbsException("No provider of handler processors was found; add the module io.verbena."));
    }
}
