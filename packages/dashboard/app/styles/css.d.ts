// The bundler reads styles; the compiler only needs to know that they exist.
declare module "*.css";
