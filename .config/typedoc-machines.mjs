/**
 * Keeps an exported machine readable in the API docs.
 *
 * The type of a machine repeats its whole configuration as type arguments of `StateMachine`. On the page that
 * is noise, and each of its properties would count as undocumented although nobody can write a comment there.
 * So the docs say `StateMachine` and leave the configuration to the machine's own page.
 */
import { Converter, ReferenceType } from 'typedoc';

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const { type } = reflection;
    if (!(type instanceof ReferenceType) || type.package !== 'xstate' || type.name !== 'StateMachine') return;
    for (const argument of type.typeArguments ?? []) context.project.removeTypeReflections(argument);
    delete type.typeArguments;
  });
}
