package io.verbena.files;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The file service is a consumer of the public verbs and prints nothing: its caller observes it. */
@Tag("sources")
class FilesArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.files..");

    @Test
    void files_ofVerbena_usesTheVerbsOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage("io.verbena.verbs", "io.verbena.text", "io.verbena.files.."))))
                .check(CLASSES);
    }

    @Test
    void files_printsNothing() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(PrintStream.class)
                .check(CLASSES);
    }

    @Test
    void files_usesNoInternalsOfTheJdk() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."))
                .check(CLASSES);
    }
}
