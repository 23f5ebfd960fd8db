// The older Express is used here as the newer one is.
declare module "express-4" {
  import express from "express";
  export default express;
}
